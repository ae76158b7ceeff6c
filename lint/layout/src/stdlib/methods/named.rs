//! Functions that are known by their names alone: of types without methods here, and of well-known
//! crates.

pub struct Named;

impl Named {
    #[address] fn as_non_null();
    #[address] fn from_raw();
    #[address] fn increment_strong_count();
    #[address] fn into_non_null();
    #[address] fn into_pin();
    #[address] fn into_raw();
    #[address] fn leak();
    #[address] fn new_cyclic();
    #[address] fn ptr_eq();
    #[as_slice] fn from_utf8();
    #[converts] fn from();
    #[creates] fn default();
    #[hands_on] fn once();
    #[hands_on] fn then();
    #[hands_on] fn then_some();
    #[keeps] fn to_compact_string();
    #[owners] #[tells] fn strong_count();
    #[slow] fn accept();
    #[slow] fn canonicalize();
    #[slow] fn connect();
    #[slow] fn create();
    #[slow] fn create_dir_all();
    #[slow] fn execute();
    #[slow] fn metadata();
    #[slow] fn open();
    #[slow] fn output();
    #[slow] fn query();
    #[slow] fn read_dir();
    #[slow] fn read_to_string();
    #[slow] fn recv();
    #[slow] fn remove_file();
    #[slow] fn sleep();
    #[slow] fn spawn();
    #[slow] fn status();
    #[slow] fn wait();
    #[stores] fn enqueue();
    #[slow] #[stores] fn send();
    #[stores] fn try_send();
    #[tells] fn is_poisoned();
    #[tells] fn weak_count();
    #[unshares] fn get_mut_unchecked();
    #[unshares] fn into_inner();
    #[unshares] fn unwrap_or_clone();
    #[ends] fn unzip();
}
