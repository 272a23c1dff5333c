//! Parameters that the master told by itself.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;

use tokkyu_graph::Param;

use crate::sync::Mutex;

/// Values that the master told by itself.
#[derive(Default)]
pub(crate) struct Cached {
    values: Mutex<BTreeMap<String, Param>>,
}

impl Cached {
    /// The value, or nothing in it: it is not set. Nothing: the master has not told it.
    pub(crate) fn get(&self, name: &str) -> Option<Option<Param>> {
        let values = self.values.lock();
        // The master's word for one that is not set.
        let is_set = |value: &Param| !matches!(value, Param::Map(items) if items.is_empty());
        values.get(name).map(|value| Some(value.clone()).filter(is_set))
    }

    /// The master tells it.
    pub(crate) fn set(&self, name: &str, value: Param) {
        self.values.lock().insert(name.to_owned(), value);
    }

    /// One that is not so any more, or all.
    pub(crate) fn forget(&self, name: Option<&str>) {
        let mut values = self.values.lock();
        match name {
            Some(name) => drop(values.remove(name)),
            None => values.clear(),
        }
    }
}
