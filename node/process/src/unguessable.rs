//! Names that nobody meets by chance or guesses (NODE-71).

use rustix::rand::{GetRandomFlags, getrandom};

use crate::ProcessError;

/// 128 bits of the system's randomness.
pub(crate) fn random() -> Result<u128, ProcessError> {
    let mut bytes = [0_u8; 16];
    // So few bytes come whole or not at all.
    match getrandom(&mut bytes, GetRandomFlags::empty()) {
        Ok(count) if count == bytes.len() => Ok(u128::from_ne_bytes(bytes)),
        Ok(_) => Err(ProcessError::system("randomness")(std::io::ErrorKind::UnexpectedEof.into())),
        Err(error) => Err(ProcessError::system("randomness")(error.into())),
    }
}

/// The process's number tells people whose it is; the rest makes the name one of its own.
pub(crate) fn name() -> Result<String, ProcessError> {
    Ok(format!("tokkyu-{}-{:032x}", std::process::id(), random()?))
}

/// The part of such a name that cannot be guessed. `None`: it is none.
pub(crate) fn secret_of(name: &str) -> Option<&str> {
    let (process, secret) = name.strip_prefix("tokkyu-")?.split_once('-')?;
    let is_process = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (is_process && secret.len() == 32 && secret.bytes().all(is_digit)).then_some(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_name_has_no_secret() {
        let secret = "0123456789abcdef0123456789abcdef";
        assert_eq!(secret_of(&format!("tokkyu-1-{secret}")), Some(secret));
        for wrong in ["", "tokkyu-1-", "tokkyu-1-../../../../../../../etc/passwd...", secret] {
            assert_eq!(secret_of(wrong), None, "{wrong}");
        }
        for wrong in ["x", "", "1-2", "1/"] {
            assert_eq!(secret_of(&format!("tokkyu-{wrong}-{secret}")), None, "{wrong}");
        }
        assert_eq!(secret_of(&format!("tokkyu-1-{}", secret.to_uppercase())), None);
    }

    #[test]
    fn names_differ_and_say_whose_they_are() {
        let (one, other) = (name().unwrap(), name().unwrap());
        assert_ne!(one, other);
        assert!(one.starts_with(&format!("tokkyu-{}-", std::process::id())), "{one}");
        assert_eq!(one.rsplit('-').next().unwrap().len(), 32);
    }
}
