//! The paper's rows below a comparison: one for each of its conditions, over all its images as our rows are.
//!
//! Pure. Its images are put together by its own figures: each image had 10 000 samples less those lost. So mean and
//! deviation are those of all samples, but for the rounding of the paper's own decimals.

use std::collections::BTreeSet;

use crate::paper::{self, PaperRow};
use crate::table::{NONE, Row, ms};

use super::contender::HEADER;
use super::network::OnNetwork;

/// MEA-74: only a network that the paper measured, and only conditions that somebody here ran.
pub(super) fn rows(part: &OnNetwork<'_>) -> Vec<Row> {
    if !paper::measured(part.network) {
        return Vec::new();
    }
    let conditions: BTreeSet<u8> = part.contenders.iter().filter_map(|c| c.condition()).collect();
    conditions.into_iter().filter_map(|condition| row(part, condition)).collect()
}

fn row(part: &OnNetwork<'_>, condition: u8) -> Option<Row> {
    let network = paper::network_beside(part.network);
    let of_image = |image| paper::row(network, part.images, image, condition);
    let images: Vec<&PaperRow> = (1..=part.images).map(of_image).collect::<Option<_>>()?;
    let [mean, sd] = moments(&images)?;
    let worst = images.iter().map(|image| image.worst_ms).reduce(f64::max);
    let best = images.iter().map(|image| image.best_ms).reduce(f64::min);
    let mut cells =
        vec![format!("  paper: OpenSplice, {}", paper::condition_words(condition)), NONE.to_owned()];
    cells.extend([Some(mean), worst, best, Some(sd)].map(ms));
    cells.resize(HEADER.len(), NONE.to_owned());
    let missed = HEADER.iter().position(|name| *name == "missed")?;
    cells[missed] = images.iter().map(|image| image.lost).sum::<u64>().to_string();
    cells[missed + 1] = (paper::SAMPLES * u64::from(part.images)).to_string();
    Some(Row { quoted: true, cells })
}

/// Mean and standard deviation of all samples, from those of the parts.
fn moments(images: &[&PaperRow]) -> Option<[f64; 2]> {
    let n = |image: &PaperRow| (paper::SAMPLES - image.lost) as f64;
    let all: f64 = images.iter().map(|image| n(image)).sum();
    let weighted = |of: &dyn Fn(&PaperRow) -> f64| images.iter().map(|i| n(i) * of(i)).sum::<f64>() / all;
    let mean = weighted(&|image| image.mean_ms);
    let variance = weighted(&|image| image.sd_ms.powi(2) + (image.mean_ms - mean).powi(2));
    (all > 0.0).then(|| [mean, variance.sqrt()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_of(mean_ms: f64, sd_ms: f64) -> PaperRow {
        PaperRow { mean_ms, sd_ms, ..paper::rows()[0].clone() }
    }

    #[test]
    fn two_images_together_have_the_moments_of_all_their_samples() {
        // 2 ± 1 and 6 ± 1: mean 4, variance 1 + 2².
        let (one, other) = (row_of(2.0, 1.0), row_of(6.0, 1.0));
        let [mean, sd] = moments(&[&one, &other]).unwrap();
        assert!((mean - 4.0).abs() < 1e-9 && (sd - 5.0_f64.sqrt()).abs() < 1e-9, "{mean} {sd}");
        assert_eq!(moments(&[]), None);
    }
}
