//! Names of flows that stand for many topics (CON-9): `*` is one part of a name, `**` one or more.
//!
//! Pure; time is the parts of the pattern times the parts of the topic, whatever both are.

/// Most parts of a name that can match: a name has at most 255 characters, so 128 parts of one letter.
const MAX_PARTS: usize = 128;

/// Whether `name` stands for many topics rather than for one.
pub fn is_pattern(name: &str) -> bool {
    name.contains('*')
}

/// Whether `topic` is one that `name`, a pattern or a plain name, stands for. Both are without a leading slash.
pub fn matches(name: &str, topic: &str) -> bool {
    let count = topic.split('/').count();
    if count > MAX_PARTS {
        return false;
    }
    // Bit i: the first i parts of the topic are what the parts of the pattern so far stand for. Bit 128 is the carry.
    let mut reached = Reached::first();
    for part in name.split('/') {
        reached = reached.after(part, topic);
    }
    reached.is_at(count)
}

/// A set of numbers from 0 to [`MAX_PARTS`].
struct Reached {
    low: u128,
    all: bool,
}

impl Reached {
    fn first() -> Self {
        Reached { low: 1, all: false }
    }

    fn is_at(&self, number: usize) -> bool {
        if number == MAX_PARTS { self.all } else { self.low >> number & 1 == 1 }
    }

    fn add(&mut self, number: usize) {
        if number == MAX_PARTS { self.all = true } else { self.low |= 1 << number }
    }

    /// Where the topic can be after one more part of the pattern.
    fn after(&self, part: &str, topic: &str) -> Reached {
        let mut next = Reached { low: 0, all: false };
        let mut is_within_many = false;
        for (at, word) in topic.split('/').enumerate() {
            let is_here = self.is_at(at);
            is_within_many |= is_here && part == "**";
            if is_within_many || is_here && (part == "*" || part == word) {
                next.add(at + 1);
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_name_stands_for_itself_alone() {
        assert!(matches("camera/front", "camera/front") && !is_pattern("camera/front"));
        for other in ["camera", "camera/front/raw", "camera/fron", "front", ""] {
            assert!(!matches("camera/front", other), "{other}");
        }
    }

    #[test]
    fn one_star_is_one_part_and_two_are_one_or_more() {
        assert!(matches("camera/*", "camera/front") && !matches("camera/*", "camera"));
        assert!(!matches("camera/*", "camera/front/raw"));
        assert!(matches("camera/**", "camera/front") && matches("camera/**", "camera/front/raw"));
        assert!(!matches("camera/**", "camera"));
        assert!(matches("**/raw", "camera/front/raw") && !matches("**/raw", "raw"));
        assert!(
            matches("*/image/**/raw", "front/image/a/b/raw") && !matches("*/image/**/raw", "front/image/raw")
        );
        assert!(matches("**", "a") && matches("**", "a/b/c") && is_pattern("**"));
    }

    #[test]
    fn many_stars_cost_no_more_than_their_number_and_the_longest_names_fit() {
        let parts = |part: &str, count: usize| vec![part; count].join("/");
        assert!(matches(&parts("**", 64), &parts("a", 128)));
        assert!(!matches(&parts("**", 65), &parts("a", 64)));
        assert!(!matches(&(parts("**", 63) + "/b"), &parts("a", 128)));
        assert!(!matches("**", &parts("a", 129)), "longer than any name");
    }
}
