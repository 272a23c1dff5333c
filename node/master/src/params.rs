//! The parameters: a tree, whose branches are namespaces.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_graph::Param;

/// All of it (NODE-125), names and values, at about what they take.
const BYTES_MOST: usize = 256 << 10;
/// What a value takes besides its bytes.
const VALUE_BYTES: usize = 16;

/// Why a parameter is not set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetError {
    /// The root is a namespace, and stays one.
    Root,
    /// There is no room for it.
    Full,
}

#[derive(Debug, Default)]
pub(crate) struct Params {
    root: BTreeMap<String, Param>,
}

fn parts(key: &str) -> impl Iterator<Item = &str> + Clone {
    key.split('/').filter(|part| !part.is_empty())
}

/// `/a/b` for `a/b/` and the like.
pub(crate) fn clean(key: &str) -> String {
    let mut clean: String = parts(key).flat_map(|part| ["/", part]).collect();
    if clean.is_empty() {
        clean.push('/');
    }
    clean
}

/// Whether what has the first key holds what has the second, or is it.
pub(crate) fn holds(outer: &str, inner: &str) -> bool {
    let mut inner = parts(inner);
    parts(outer).all(|part| inner.next() == Some(part))
}

fn bytes_of(value: &Param) -> usize {
    VALUE_BYTES
        + match value {
            Param::Text(text) => text.len(),
            Param::Binary(bytes) => bytes.len(),
            Param::List(items) => items.iter().map(bytes_of).sum(),
            Param::Map(map) => bytes_of_map(map),
            Param::Bool(_) | Param::Int(_) | Param::Double(_) | Param::Nil => 0,
        }
}

fn bytes_of_map(map: &BTreeMap<String, Param>) -> usize {
    map.iter().map(|(name, value)| name.len() + bytes_of(value)).sum()
}

impl Params {
    pub(crate) fn get(&self, key: &str) -> Option<Param> {
        let mut parts = parts(key);
        let Some(first) = parts.next() else { return Some(Param::Map(self.root.clone())) };
        let mut value = self.root.get(first)?;
        for part in parts {
            let Param::Map(map) = value else { return None };
            value = map.get(part)?;
        }
        Some(value.clone())
    }

    /// What stood there, or above where there was no namespace, is gone.
    pub(crate) fn set(&mut self, key: &str, value: Param) -> Result<(), SetError> {
        let path: Vec<&str> = parts(key).collect();
        let Some((last, above)) = path.split_last() else {
            let Param::Map(map) = value else { return Err(SetError::Root) };
            if bytes_of_map(&map) > BYTES_MOST {
                return Err(SetError::Full);
            }
            self.root = map;
            return Ok(());
        };
        let before = self.get(key).map_or(0, |value| bytes_of(&value));
        let names: usize = path.iter().map(|part| part.len() + VALUE_BYTES).sum();
        if bytes_of_map(&self.root) - before + names + bytes_of(&value) > BYTES_MOST {
            return Err(SetError::Full);
        }
        let mut map = &mut self.root;
        for part in above {
            let entry = map.entry((*part).to_owned()).or_insert(Param::Nil);
            if !matches!(entry, Param::Map(_)) {
                *entry = Param::Map(BTreeMap::new());
            }
            let Param::Map(inner) = entry else { return Err(SetError::Root) };
            map = inner;
        }
        map.insert((*last).to_owned(), value);
        Ok(())
    }

    /// Whether it was there; the root always is, and stays.
    pub(crate) fn delete(&mut self, key: &str) -> bool {
        let path: Vec<&str> = parts(key).collect();
        let Some((last, above)) = path.split_last() else { return false };
        let mut map = &mut self.root;
        for part in above {
            let Some(Param::Map(inner)) = map.get_mut(*part) else { return false };
            map = inner;
        }
        map.remove(*last).is_some()
    }

    /// The key as the caller means it: in its own namespace, or in the nearest one above that has its first part.
    pub(crate) fn search(&self, caller: &str, key: &str) -> Option<String> {
        if key.starts_with('/') {
            return self.get(key).map(|_| clean(key));
        }
        let first = parts(key).next()?;
        let mut namespace: Vec<&str> = parts(caller).collect();
        loop {
            let found = format!("{}/{first}", namespace.join("/"));
            if self.get(&found).is_some() {
                return Some(clean(&format!("{}/{key}", namespace.join("/"))));
            }
            namespace.pop()?;
        }
    }

    /// The names of all that are no namespaces.
    pub(crate) fn names(&self) -> Vec<String> {
        fn collect(map: &BTreeMap<String, Param>, above: &str, names: &mut Vec<String>) {
            for (name, value) in map {
                let name = format!("{above}/{name}");
                match value {
                    Param::Map(inner) => collect(inner, &name, names),
                    _ => names.push(name),
                }
            }
        }
        let mut names = Vec::new();
        collect(&self.root, "", &mut names);
        names
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    fn of(pairs: &[(&str, i32)]) -> Params {
        let mut params = Params::default();
        for (key, value) in pairs {
            params.set(key, Param::Int(*value)).expect("there is room");
        }
        params
    }

    #[test]
    fn a_namespace_is_a_value_and_a_value_gives_way_to_one() {
        let mut params = of(&[("/a/b", 1), ("/a/c/d", 2)]);
        assert_eq!(params.names(), vec!["/a/b".to_string(), "/a/c/d".to_string()]);
        let Some(Param::Map(map)) = params.get("/a") else { panic!("no namespace") };
        assert_eq!(map.len(), 2);
        params.set("/a/b/e", Param::Bool(true)).expect("there is room");
        assert_eq!(params.get("/a/b/e"), Some(Param::Bool(true)));
        assert!(params.delete("a/c/") && !params.delete("/a/c"));
        assert_eq!(params.names(), vec!["/a/b/e".to_string()]);
    }

    #[test]
    fn what_is_not_global_is_searched_for_upwards() {
        let params = of(&[("/rate", 1), ("/arm/rate", 2), ("/arm/gains/p", 3)]);
        assert_eq!(params.search("/arm/driver", "rate"), Some("/arm/rate".to_string()));
        assert_eq!(params.search("/leg/driver", "rate"), Some("/rate".to_string()));
        assert_eq!(params.search("/arm/driver", "gains/d"), Some("/arm/gains/d".to_string()));
        assert_eq!(params.search("/arm/driver", "none"), None);
    }

    #[test]
    fn what_is_too_much_changes_nothing() {
        let mut params = of(&[("/a", 1)]);
        let long = Param::Binary(vec![0; BYTES_MOST]);
        assert_eq!(params.set("/b", long.clone()), Err(SetError::Full));
        assert_eq!(params.set("/", long), Err(SetError::Root));
        assert_eq!(params.names(), vec!["/a".to_string()]);
        // What is replaced makes room.
        let half = || Param::Binary(vec![0; BYTES_MOST * 2 / 3]);
        assert_eq!((params.set("/b", half()), params.set("/b", half())), (Ok(()), Ok(())));
    }
}
