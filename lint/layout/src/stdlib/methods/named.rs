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
    #[converts] #[fresh] fn from();
    #[creates] #[fresh] fn default();
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

/// Methods of traits that boxes have, or lend what is in them, and other names of such methods.
pub struct OfBoxes;

impl OfBoxes {
    #[of_boxes] fn as_mut();
    #[views] fn as_os_str();
    #[views] fn as_path();
    #[of_boxes] #[views] fn as_ref();
    #[views] fn as_slice();
    #[views] fn as_str();
    #[of_boxes] fn borrow();
    #[of_boxes] fn borrow_mut();
    #[of_boxes] fn by_ref();
    #[of_boxes] fn clamp();
    #[fresh] #[of_boxes] fn clone();
    #[of_boxes] #[of_pairs] fn clone_from();
    #[of_boxes] #[of_pairs] fn cmp();
    #[of_boxes] #[views] fn deref();
    #[of_boxes] fn deref_mut();
    #[of_boxes] #[of_pairs] fn eq();
    #[like_contents] fn fill_buf();
    #[like_contents] fn finish();
    #[like_contents] fn flush();
    #[like_contents] fn fmt();
    #[of_boxes] fn ge();
    #[of_boxes] fn gt();
    #[like_contents] fn hash();
    #[of_boxes] fn into();
    #[of_boxes] fn into_iter();
    #[like_contents] fn last();
    #[of_boxes] fn le();
    #[of_boxes] fn lt();
    #[of_boxes] fn max();
    #[of_boxes] fn min();
    #[of_boxes] #[of_pairs] fn ne();
    #[like_contents] fn next();
    #[like_contents] fn next_back();
    #[like_contents] fn nth();
    #[of_boxes] #[of_pairs] fn partial_cmp();
    #[like_contents] fn poll();
    #[like_contents] fn read();
    #[like_contents] fn read_to_string();
    #[like_contents] fn seek();
    #[like_contents] fn size_hint();
    #[like_contents] fn source();
    #[fresh] #[of_boxes] fn to_owned();
    #[of_boxes] fn try_into();
    #[of_boxes] fn type_id();
    #[like_contents] fn write();
    #[like_contents] fn write_all();
}
