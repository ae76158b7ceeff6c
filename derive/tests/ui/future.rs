use weigh_derive::assert_future_size;

mod server {
    pub struct Server;
    impl Server {
        pub async fn run(&self, name: &str, buffer: [u8; 100]) -> u8 {
            let kept = buffer;
            std::future::ready(()).await;
            kept[name.len()]
        }
    }
    pub async fn echo<T>(value: T) -> T {
        std::future::ready(()).await;
        value
    }
    pub async fn call(function: impl Fn() -> u8) -> u8 {
        std::future::ready(()).await;
        function()
    }
    pub async fn fill(bytes: &mut [u8]) {
        std::future::ready(()).await;
        bytes.fill(0);
    }
    pub fn number(n: u8) -> u8 {
        n
    }
    pub trait Run {
        fn run(&self) -> impl Future<Output = ()>;
    }
    impl Run for [u8] {
        async fn run(&self) {
            std::future::ready(()).await;
            drop(self.len());
        }
    }
    pub fn block(n: u8) -> impl Future<Output = u8> {
        async move { std::future::ready(n).await }
    }
}

assert_future_size!(server::Server::run(_, _, _), max = 247);
assert_future_size!(server::echo::<[u8; 7]>(_), exact = 16);
assert_future_size!(server::echo::<[u8; 7]>(_), max = 15);
assert_future_size!(<[u8] as server::Run>::run(_), max = 1);
assert_future_size!(server::fill(&mut []), max = 64);
assert_future_size!(server::echo(async { 1 }), max = 64);
assert_future_size!(server::number(_), max = 8);
assert_future_size!(server::call(|| 1), min = 1, max = 64);
assert_future_size!(server::block(_), max = 1, cfg(not(target_pointer_width = "16")));

assert_future_size!();
assert_future_size!(server::block, max = 1);
assert_future_size!(server::block(_));
assert_future_size!(server::block(_), niche);
assert_future_size!(server::block(_), align = 1);
assert_future_size!(server::block(1 2), max = 1);

fn main() {}
