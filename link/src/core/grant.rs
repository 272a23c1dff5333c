//! The bit rate each flow may use (LNK-66): equal shares of what the path carries, unused shares given to the others.

/// Kept back for feedback, control and what the estimate is off by, a part.
pub const KEPT_BACK: f64 = 0.1;
/// A flow that adapts must see that it may send more than it does.
const HEADROOM: f64 = 1.25;
/// A grant that moves by less is not told.
const WORTH_TELLING: f64 = 0.05;

/// Shares of `payload_bps` for flows that demand `demands_bps`, in the same order.
///
/// A flow that demands less than an equal share (headroom included) leaves the rest to the others.
pub fn share(payload_bps: f64, demands_bps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..demands_bps.len()).collect();
    order.sort_by(|a, b| demands_bps[*a].total_cmp(&demands_bps[*b]));
    let mut left = payload_bps * (1.0 - KEPT_BACK);
    let mut grants = vec![0.0; demands_bps.len()];
    for (done, flow) in order.into_iter().enumerate() {
        let equal = left / (demands_bps.len() - done) as f64;
        let used = (demands_bps[flow] * HEADROOM).min(equal);
        grants[flow] = equal;
        left -= used;
    }
    grants
}

/// Whether a grant differs enough from the last one told.
pub fn is_news(told_bps: f64, now_bps: f64) -> bool {
    (told_bps - now_bps).abs() > WORTH_TELLING * told_bps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_share_equally_and_all_is_given_out() {
        let grants = share(100.0, &[50.0, 50.0, 50.0]);
        assert!(grants.iter().all(|g| (g - 30.0).abs() < 1e-9), "{grants:?}");
    }

    #[test]
    fn what_a_small_flow_leaves_goes_to_the_others() {
        let grants = share(100.0, &[4.0, 500.0, 500.0]);
        assert!((grants[1] - 42.5).abs() < 1e-9 && grants[1] == grants[2], "{grants:?}");
        assert!(grants[0] >= 4.0);
    }

    #[test]
    fn small_moves_are_not_told() {
        assert!(!is_news(100.0, 104.0));
        assert!(is_news(100.0, 94.0));
        assert!(is_news(0.0, 1.0));
    }
}
