//! Cases: where values go.

#![allow(unused, dead_code)]

struct Node {
    name: String,
    parts: Vec<String>,
    next: Option<Box<Node>>,
}

struct Pair(String, Vec<u8>);

enum Event {
    Named(String),
    Part { text: String, at: usize },
    End,
}

fn named(name: String) -> String {
    name
  //^^^^ returned: name
}

fn stored(name: String, parts: Vec<String>, old: Node) -> Node {
    let _ = Pair(name, Vec::new());
    //           ^^^^ stores: Pair::0
    let _ = Pair(String::new(), { vec![1] });
    //                            ^^^^^^^ stores: Pair::1
    let _ = Event::Named(name);
    //                   ^^^^ stores: Event::0
    let _ = Event::Part { text: name, at: 0 };
    //                          ^^^^ stores: Event::text
    let _ = Event::Part { at: 1 + 2, text: if true { name } else { String::new() } };
    //                        ^^^^^ stores: Event::at
    //                                               ^^^^ same: name
    //                                                             ^^^^^^^^^^^^^ same: a value
    let _ = Some(name);
    //           ^^^^ stores: Option::0
    let _ = Node { name: name, ..old };
    //                   ^^^^ stores: Node::name
    //                           ^^^ unclear: old
    Node { name, parts: parts, next: None }
    //                  ^^^^^ stores: Node::parts
    //                               ^^^^ stores: Node::next
}

fn passed(node: Node, list: &mut Vec<Node>) {
    named(node.name);
    //    ^^^^^^^^^ passes to: named, 0
    named(node.name).push('a');
  //^^^^^^^^^^^^^^^^ grows: a value with 'a'
    list.push(node);
    //        ^^^^ passes to: push, 1
    list.insert(0, node);
    //             ^^^^ passes to: insert, 2
    other::call(1, node);
    //             ^^^^ passes to: call, 1
    <Node as Into<Node>>::into(node);
    //                         ^^^^ passes to: into, 0
    unknown(node.parts, &node.parts);
    //      ^^^^^^^^^^ passes to: unknown, 0
    //                   ^^^^^^^^^^ borrowed: Node::parts
    Node::method(&node, 2);
    //           ^^^^^ passes to: method, 0
    node.method(3);
    //          ^ passes to: method, 1
    drop(node);
    //   ^^^^ passes to: drop, 0
    named(String::new());
  //^^^^^ reads: a value
}

impl Node {
    fn method(&self, n: u32) -> usize {
        self.parts.len()
      //^^^^^^^^^^ reads: Node::parts
    }

    fn into_parts(self) -> Vec<String> {
        return self.parts;
        //     ^^^^^^^^^^ returned: Node::parts
    }

    fn maybe(&self) -> Option<&str> {
        let next = self.next.as_ref()?;
        //         ^^^^^^^^^^^^^^^^^^ content: a value
        let inner = &next.name;
        //           ^^^^ part: next
        Some(inner)
        //   ^^^^^ stores: Option::0
    }

    async fn waits(&self) -> Result<String, ()> {
        let text = self.fetch().await?;
        //         ^^^^^^^^^^^^ content: a value
        let text = self.fetch().await?;
        //         ^^^^^^^^^^^^^^^^^^ content: a value
        self.fetch().await
      //^^^^^^^^^^^^ content: a value
    }

    async fn fetch(&self) -> Result<String, ()> {
        Ok(self.name.clone())
        // ^^^^^^^^^^^^^^^^^ stores: Result::0
    }
}

fn bound(node: Node, event: Event, list: Vec<Node>, pair: (String, u8)) {
    let name = node.name;
    //         ^^^^^^^^^ binds: name
    let (text, n) = pair;
    //              ^^^^ binds: a pattern
    let mut moved = { name };
    //                ^^^^ binds: moved
    moved = text;
  //^^^^^ sets: moved with text
    //      ^^^^ assigns to: moved
    moved = if n > 1 { String::new() } else { String::from("a") };
    //      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ assigns to: moved
    if let Some(next) = node.next {}
    //                  ^^^^^^^^^ binds: a pattern
    let Some(next) = node.next else { return };
    //               ^^^^^^^^^ binds: a pattern
    while let Some(next) = next.next {}
    //                     ^^^^^^^^^ binds: a pattern
    match event {
    //    ^^^^^ matches: 3 arms
        Event::Named(name) => drop(name),
        //                    ^^^^^^^^^^ same: a value
        Event::Part { text, .. } if text.is_empty() => {}
        //                          ^^^^^^^^^^^^^^^ reads: a value
        _ => {}
    }
    matches!(event, Event::End);
    //       ^^^^^ binds: a pattern
    for node in list {
    //          ^^^^ iterates: node
        node.parts.len();
      //^^^^^^^^^^^^^^^^ dropped: a value
    }
    for (i, node) in list.iter().enumerate() {}
    //               ^^^^^^^^^^^^^^^^^^^^^^^ iterates: a pattern
    let choice = match n { 1 => moved, _ => { String::new() } };
    //                          ^^^^^ same: moved
    //                                        ^^^^^^^^^^^^^ same: a value
    let list = vec![choice, String::new()];
    //              ^^^^^^ element: choice
    let array = [list];
    //           ^^^^ element: list
    let tuple = (array, 1);
    //           ^^^^^ element: array
    let many = vec![0u8; 3];
    //              ^^^ element: a value
    let twice = [0u8; 2];
    //           ^^^ element: a value
    let part = tuple.0;
    //         ^^^^^ part: tuple
    let closure = |x: u8| x + 1;
    //                    ^^^^^ returned: a value
    let taken = move || part;
    //                  ^^^^ returned: part
    let later = async { part };
    //                  ^^^^ returned: part
    let by_ref = &part;
    //            ^^^^ borrowed: part
    let star = *by_ref;
    //          ^^^^^^ deref: by_ref
    let range = 1..n;
    //          ^ unclear: a value
    //             ^ unclear: n
    loop {
        break range;
        //    ^^^^^ unclear: range
    }
    unsafe { star };
    //       ^^^^ dropped: star
}

fn nested(node: Node, n: u8) -> Option<String> {
    let name = match n {
        0 => return Some(node.name),
        //               ^^^^^^^^^ stores: Option::0
        1 => node.name,
        //   ^^^^^^^^^ same: Node::name
        2 if node.parts.is_empty() => String::new(),
        //   ^^^^^^^^^^^^^^^^^^^^^ reads: a value
        //                            ^^^^^^^^^^^^^ same: a value
        _ => { node.parts.concat() }
        //     ^^^^^^^^^^^^^^^^^^^ same: a value
    };
    let all = node.parts.into_iter().map(|part| named(part)).collect::<Vec<_>>();
    //        ^^^^^^^^^^ consumes: Node::parts
    //        ^^^^^^^^^^^^^^^^^^^^^^ unknown: a value with |part| named(part)
    //                                          ^^^^^^^^^^^ returned: a value
    //                                                ^^^^ passes to: named, 0
    anyhow!(name);
    //      ^^^^ macro: name
    bail!("{}", all);
    //          ^^^ reads: all
    error!(name = name, "{}", n);
    unheard_of!(n);
    //          ^ macro: n
    assert_ne!(all, vec![]);
    //         ^^^ reads: all
    if let (Some(a), b) = (node.next, n) { return Some(a.name) }
    //                    ^^^^^^^^^^^^^^ binds: a pattern
    //                     ^^^^^^^^^ element: Node::next
    //                                                 ^^^^^^ stores: Option::0
    Some(name).filter(|name| !name.is_empty())
    //                       ^^^^^^^^^^^^^^^^ returned: a value
    //                        ^^^^ reads: name
}
