//! Events of the link in plain words, and which ends of a session are for good.
//!
//! Pure. Events that the status counts anyway (samples settled or missed, grants, deadlines) give no words.

use tokkyu_link::carrier::FailedHandshakes;
use tokkyu_link::core::{Endpoint, Event, Way};
use tokkyu_link::runtime::{LinkEvent, LinkState};

use crate::text::printable;

/// Longest name or reason of the peer that is shown.
const PEER_TEXT: usize = 200;

/// Words for handshakes that failed at the end that listens, where nobody else tells of them.
pub(crate) fn news_of_handshakes(before: &FailedHandshakes, after: &FailedHandshakes) -> Vec<&'static str> {
    let mut news = Vec::new();
    if after.untrusted_key > before.untrusted_key {
        news.push(
            "a machine whose key is not trusted here wanted in; if it is your vehicle, copy its .pub file here and \
             run: tokkyu keys trust FILE --into DIR, with DIR the folder of --trust or of trust: in site.yaml; then start \
             again",
        );
    }
    if after.other_protocol > before.other_protocol {
        news.push("a machine with another version of tokkyu wanted in; bring both to the same version");
    }
    if after.busy > before.busy {
        news.push("a second machine wanted in while the session is up; it was refused");
    }
    if after.twice > before.twice {
        news.push(
            "another machine, or process, with the key of this session wanted in; it was refused: give each machine a key of \
             its own (tokkyu keys new)",
        );
    }
    news
}

/// Name of an endpoint of ours. The link counts publications and subscriptions apart, both from 1.
pub(crate) fn endpoint_name(endpoint: Endpoint, publications: &[String], subscriptions: &[String]) -> String {
    let (names, flow) = match endpoint {
        Endpoint::Publication(flow) => (publications, flow),
        Endpoint::Subscription(flow) => (subscriptions, flow),
    };
    names.get(usize::from(flow.0).wrapping_sub(1)).map_or_else(|| flow.to_string(), Clone::clone)
}

/// What `event` is in words; `name` gives the name of one of our endpoints.
pub(crate) fn news_of(event: &LinkEvent, name: impl Fn(Endpoint) -> String) -> Option<String> {
    match event {
        // A session counts as up when something came of it, which the programs tell themselves: a peer that does not
        // trust us ends it a moment after it began.
        LinkEvent::State(LinkState::Connecting | LinkState::Up { .. }) => None,
        LinkEvent::State(LinkState::Down(reason)) => Some(printable(&reason.to_string(), 2 * PEER_TEXT)),
        LinkEvent::State(LinkState::Died(died)) => Some(died.to_string()),
        LinkEvent::Trouble(what) => Some(what.clone()),
        LinkEvent::Refused { flow, why, samples } => {
            let name = name(Endpoint::Publication(*flow));
            Some(format!("{name}: {samples} samples were not taken by the link: {why}"))
        }
        LinkEvent::Withdrawn { .. } => None, // our own doing
        LinkEvent::Session(event) => news_of_session(event, name),
    }
}

fn news_of_session(event: &Event, name: impl Fn(Endpoint) -> String) -> Option<String> {
    match event {
        Event::Incompatible { endpoint, mismatches } => Some(format!(
            "{}: the two ends do not agree on {mismatches}; bring both to the same robot.yaml",
            name(*endpoint)
        )),
        Event::OtherType { endpoint, peer_type } => Some(format!(
            "{}: the other end has it as {}; bring both to the same robot.yaml",
            name(*endpoint),
            printable(peer_type, PEER_TEXT)
        )),
        Event::LongPacketsLost { way: Way::Out } => Some(
            "only short packets reach the other end: not even IP packets of 1280 bytes pass; look at the MTU of this machine's \
             device (ip link) and of the network on the way"
                .to_owned(),
        ),
        Event::LongPacketsLost { way: Way::In } => Some(
            "only short packets of the other end reach us: its pictures are lost on the way, where not even IP packets of \
             1280 bytes pass"
                .to_owned(),
        ),
        Event::LongPacketsPass { way: Way::Out } => Some("long packets reach the other end again".to_owned()),
        Event::LongPacketsPass { way: Way::In } => Some("long packets of the other end reach us again".to_owned()),
        Event::PacketsCut { way: Way::Out, ip_bytes: Some(bytes) } => Some(format!(
            "the path takes no packets as long as agreed: ours have at most {bytes} bytes now, pictures go on; should it stay \
             so, set link: {{mtu: {bytes}}} in site.yaml at both ends"
        )),
        Event::PacketsCut { .. } => {
            Some("the path takes no packets as long as agreed: the other end's are shorter now".to_owned())
        }
        Event::PacketsWhole { way: Way::Out } => Some("our packets are as long as agreed again".to_owned()),
        Event::PacketsWhole { way: Way::In } => Some("the other end's packets are as long as agreed again".to_owned()),
        Event::PathUp { path } => Some(format!("path {} to the other end is up", path.0 + 1)),
        Event::PathDown { path } => Some(format!("path {} to the other end is gone; the others go on", path.0 + 1)),
        Event::PathSilent { path } => Some(format!("path {} does not answer; what went there goes elsewhere", path.0 + 1)),
        Event::PathAnswers { path } => Some(format!("path {} answers again", path.0 + 1)),
        Event::PeerSilent => Some("nothing is heard from the other end".to_owned()),
        Event::PeerAlive => Some("the other end is heard again".to_owned()),
        Event::Delivered(_)
        | Event::Missed { .. }
        | Event::Settled { .. }
        | Event::Matched { .. }
        | Event::Unmatched { .. }
        | Event::OfferedDeadlineMissed { .. }
        | Event::RequestedDeadlineMissed { .. }
        | Event::Grant { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::FlowId;
    use tokkyu_link::carrier::CloseReason;

    #[test]
    fn a_wrong_key_is_for_good_and_a_lost_network_is_not() {
        assert!(CloseReason::PeerKeyUntrusted { fingerprint: None }.never_succeeds());
        assert!(CloseReason::OurKeyRefused { fingerprint: "SHA256:x".into() }.never_succeeds());
        assert!(CloseReason::OtherProtocol { ours: "tokkyu/1".into() }.never_succeeds());
        for passing in
            [CloseReason::Busy, CloseReason::Twice, CloseReason::Replaced, CloseReason::PeerRestarted]
        {
            assert!(!passing.never_succeeds(), "{passing}");
        }
    }

    #[test]
    fn a_refused_stranger_is_told_once_with_the_remedy() {
        let before = FailedHandshakes { untrusted_key: 1, ..FailedHandshakes::default() };
        let after = FailedHandshakes { untrusted_key: 3, timed_out: 1, ..before };
        let news = news_of_handshakes(&before, &after);
        assert!(news.len() == 1 && news[0].contains("tokkyu keys trust FILE --into DIR"), "{news:?}");
        assert!(news[0].ends_with("then start again"), "{news:?}");
        assert!(news_of_handshakes(&after, &after).is_empty());
    }

    #[test]
    fn an_endpoint_is_named_by_its_kind_and_number() {
        let (out, back) =
            (vec!["camera/front".to_owned(), "camera/rear".to_owned()], vec!["drive".to_owned()]);
        let name = |endpoint| endpoint_name(endpoint, &out, &back);
        assert_eq!(name(Endpoint::Publication(FlowId(1))), "camera/front");
        assert_eq!(name(Endpoint::Subscription(FlowId(1))), "drive");
        assert_eq!(name(Endpoint::Publication(FlowId(2))), "camera/rear");
        assert_eq!(name(Endpoint::Subscription(FlowId(9))), "flow 9");
    }

    #[test]
    fn what_the_peer_calls_its_types_cannot_draw_on_the_screen() {
        let event =
            Event::OtherType { endpoint: Endpoint::Publication(FlowId(1)), peer_type: "x\x1b[2J".into() };
        let text = news_of(&LinkEvent::Session(event), |_| "camera/front".into()).unwrap();
        assert!(text.starts_with("camera/front: the other end has it as x·[2J"), "{text}");
    }
}
