//! Publications: one queue of samples a flow (LNK-10 to LNK-14).

use super::home::Home;
use super::kept::Kept;
use super::load::Load;
use super::outstanding::Outstanding;
use super::path::PathId;
use super::sample::{Cut, OutSample};
use bytes::Bytes;
use std::collections::VecDeque;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, History, Ledger, MonoTime, Outcome, Qos, Reliability, TraceId};

/// A sample that gave way.
const STARVED: u32 = 1 << 16;
/// Longest pause that counts as the time between two samples.
const LONGEST_GAP: Duration = Duration::from_secs(1);

/// A publication.
pub struct OutFlow {
    /// Number of the flow.
    pub id: FlowId,
    /// Class of the flow.
    pub class: Class,
    /// Offered QoS.
    pub qos: Qos,
    /// Time between two samples, declared or seen.
    pub period: Option<Duration>,
    period_is_declared: bool,
    /// Samples not settled, in order of sequence number without holes.
    samples: VecDeque<Option<OutSample>>,
    /// What they and those before them may take at the receiver.
    outstanding: Outstanding,
    first_sequence: u32,
    /// Samples a late joiner would get, newest last.
    kept: Kept,
    ledger: Ledger,
    ended: Vec<(u32, Outcome)>,
    last_publish: Option<MonoTime>,
    /// Time its samples have waited for their turn, summed (LNK-51).
    pub waited: Duration,
    /// How often its samples gave way lately, each as `STARVED` and fading (LNK-51).
    pub starved: u32,
    /// What it publishes within its lifespan (LNK-12).
    pub load: Load,
    /// It publishes more than its share of the path: judged when something of its class waits for long (LNK-12).
    pub lacks_rate: bool,
    /// The path that its samples go on (LNK-92).
    pub home: Home,
    /// A reader wants it.
    pub wanted: bool,
    /// A floor of at least this number is to be told.
    floor_owed: Option<u32>,
}

/// Publishing was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// A sample over the limits of LNK-6.
    #[error("sample of {bytes} bytes is larger than the link takes ({limit} bytes)")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A keep_all flow for whose samples there is no room, here or at the peer (LNK-9).
    #[error(
        "{limit} bytes of samples are not confirmed yet: the flow keeps all samples, and the memory bounds of both ends hold no more"
    )]
    Full {
        /// Bytes that all flows that keep all may have unconfirmed together.
        limit: usize,
    },
    /// A keep_all flow that is too many numbers ahead of its oldest open sample.
    #[error(
        "{limit} samples of the flow are not confirmed yet: it keeps all samples, and the receiver tells no more apart"
    )]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// No such publication.
    #[error("no such publication")]
    UnknownFlow,
}

impl OutFlow {
    /// A flow without samples.
    pub fn new(id: FlowId, class: Class, qos: Qos, period: Option<Duration>) -> Self {
        OutFlow {
            id,
            class,
            qos,
            period,
            period_is_declared: period.is_some(),
            samples: VecDeque::new(),
            outstanding: Outstanding::default(),
            first_sequence: 0,
            kept: Kept::default(),
            ledger: Ledger::default(),
            ended: Vec::new(),
            last_publish: None,
            waited: Duration::ZERO,
            starved: 0,
            load: Load::default(),
            lacks_rate: false,
            home: Home::default(),
            wanted: false,
            floor_owed: None,
        }
    }

    /// Sequence number the next sample gets.
    pub fn next_sequence(&self) -> u32 {
        self.first_sequence.wrapping_add(self.samples.len() as u32)
    }

    /// Outcomes so far.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// When something was published last.
    pub fn last_publish(&self) -> Option<MonoTime> {
        self.last_publish
    }

    /// Losses are made good.
    pub fn is_reliable(&self) -> bool {
        self.qos.reliability == Reliability::Reliable
    }

    /// Its samples never give way: publishing is refused instead (LNK-11).
    pub fn keeps_all(&self) -> bool {
        self.qos.history == History::KeepAll
    }

    fn is_ordered(&self) -> bool {
        self.keeps_all() && self.is_reliable()
    }

    /// Samples not settled, oldest first.
    pub fn samples(&self) -> impl Iterator<Item = &OutSample> {
        self.samples.iter().flatten()
    }

    /// Samples not settled, oldest first.
    pub fn samples_mut(&mut self) -> impl Iterator<Item = &mut OutSample> {
        self.samples.iter_mut().flatten()
    }

    /// The sample numbered `sequence`, if it is not settled.
    pub fn get_mut(&mut self, sequence: u32) -> Option<&mut OutSample> {
        let at = sequence.wrapping_sub(self.first_sequence) as usize;
        self.samples.get_mut(at)?.as_mut()
    }

    /// The sample numbered `sequence`, if it is not settled.
    pub fn get(&self, sequence: u32) -> Option<&OutSample> {
        let at = sequence.wrapping_sub(self.first_sequence) as usize;
        self.samples.get(at)?.as_ref()
    }

    /// Samples settled since this was asked last.
    pub fn take_ended(&mut self) -> Vec<(u32, Outcome)> {
        std::mem::take(&mut self.ended)
    }

    /// Takes a sample in; older ones give way to it as the history says.
    pub fn push(&mut self, now: MonoTime, sample: OutSample) {
        self.ledger.offer();
        self.learn_period(now);
        self.outstanding.push(sample.cost);
        self.samples.push_back(Some(sample));
        if let History::KeepLast { depth } = self.qos.history {
            let open = self.samples().count();
            self.give_way(now, open.saturating_sub(depth as usize));
        }
    }

    /// Counts a sample that no reader wants: it is offered and dropped.
    pub fn push_unwanted(&mut self, now: MonoTime) {
        self.ledger.offer();
        self.learn_period(now);
        self.outstanding.push(0);
        self.samples.push_back(None);
        self.end(self.next_sequence().wrapping_sub(1), Outcome::Dropped);
        self.forget_settled();
    }

    fn end(&mut self, sequence: u32, outcome: Outcome) {
        self.ledger.settle(outcome);
        self.ended.push((sequence, outcome));
        if outcome != Outcome::Delivered {
            self.owe_floor_of(sequence.wrapping_add(1));
            if self.is_ordered() && self.wanted {
                self.outstanding.give_up(sequence.wrapping_sub(self.first_sequence) as usize);
            }
        }
    }

    /// Keeps a payload for late joiners, in at most `limit_bytes` with the others.
    pub fn keep(&mut self, now: MonoTime, capture: MonoTime, payload: Bytes, limit_bytes: usize) {
        self.kept.push(now, capture, payload, &self.qos, limit_bytes);
    }

    /// What a reader that joins at `now` gets.
    pub fn kept_for_late_joiner(&self, now: MonoTime) -> Vec<(MonoTime, Bytes)> {
        self.kept.alive(now, &self.qos)
    }

    /// Bytes kept for late joiners.
    pub fn kept_bytes(&self) -> usize {
        self.kept.bytes()
    }

    /// The period, where the publication declares it.
    pub fn declared_period(&self) -> Option<Duration> {
        self.period.filter(|_| self.period_is_declared)
    }

    fn learn_period(&mut self, now: MonoTime) {
        if let (Some(last), false) = (self.last_publish, self.period_is_declared) {
            // After a pause the next sample says nothing of the time between samples.
            let longest = self.period.map_or(Duration::MAX, |period| (period * 8).max(LONGEST_GAP));
            let gap = now.since(last).min(longest);
            self.period = Some(self.period.map_or(gap, |period| (period * 7 + gap) / 8));
        }
        self.last_publish = Some(now);
    }

    /// The oldest `count` open samples give way (LNK-11).
    fn give_way(&mut self, now: MonoTime, count: usize) {
        let oldest: Vec<u32> = self.samples().take(count).map(|sample| sample.id.sequence).collect();
        for sequence in oldest {
            match self.get_mut(sequence) {
                Some(sample) if !sample.is_waiting() => sample.supersede(),
                _ => self.drop_waiting(now, sequence),
            }
        }
    }

    /// Our clock stood for `span`: what was captured before is older by as much (LNK-1).
    pub fn on_suspended(&mut self, span: Duration) {
        for sample in self.samples.iter_mut().flatten() {
            sample.capture = sample.capture.saturating_sub(span);
            if sample.expires != MonoTime::MAX {
                sample.expires = sample.expires.saturating_sub(span);
            }
        }
        self.kept.on_suspended(span);
    }

    /// Packets are shorter from now on: samples in longer ones of the same path begin anew, or give way where that is not
    /// possible (LNK-87).
    pub fn cut_anew(&mut self, cut: Cut) {
        let is_reliable = self.is_reliable();
        let is_long = |sample: &&OutSample| {
            sample.path() == cut.path() && sample.is_longer_than(cut) && !sample.is_confirmed()
        };
        let long: Vec<u32> = self.samples().filter(is_long).map(|sample| sample.id.sequence).collect();
        for sequence in long {
            let Some(sample) = self.get_mut(sequence) else { continue };
            let may = sample.may_begin_anew(is_reliable);
            match sample.cut_anew(cut).filter(|_| may) {
                Some(anew) => *sample = anew,
                None => self.settle(sequence, Outcome::Dropped),
            }
        }
    }

    /// Samples on `from` go on the path of `cut` from now on: those that wait, and all where `from` does not answer
    /// (LNK-92, LNK-93).
    pub fn move_samples(&mut self, from: PathId, cut: Cut, is_all: bool) {
        let is_reliable = self.is_reliable();
        let moves = |sample: &OutSample| {
            let may = if is_all { sample.may_begin_anew(is_reliable) } else { sample.is_waiting() };
            sample.path() == from && may
        };
        self.samples_mut().filter(|sample| moves(sample)).for_each(|sample| sample.move_to(cut.path()));
        self.cut_anew(cut);
    }

    /// The path `from` is gone: what may not move to that of `cut` ends with it, and what was told on it is told again.
    pub fn leave_path(&mut self, from: PathId, cut: Cut) {
        let is_reliable = self.is_reliable();
        let stays = |sample: &&OutSample| sample.path() == from && !sample.may_begin_anew(is_reliable);
        let stay = self.samples().filter(stays);
        let stay: Vec<(u32, bool)> = stay.map(|sample| (sample.id.sequence, sample.is_sent())).collect();
        for (sequence, is_sent) in stay {
            self.settle(sequence, if is_sent { Outcome::Lost } else { Outcome::Dropped });
        }
        self.move_samples(from, cut, true);
        self.owe_floor();
    }

    /// All waiting samples but the newest give way (LNK-12).
    pub fn keep_newest(&mut self, now: MonoTime) {
        let newest = self.next_sequence().wrapping_sub(1);
        let waiting: Vec<u32> = self
            .samples()
            .filter(|sample| sample.is_waiting() && sample.id.sequence != newest)
            .map(|sample| sample.id.sequence)
            .collect();
        waiting.into_iter().for_each(|sequence| self.drop_waiting(now, sequence));
    }

    /// A sample that never had its turn still counts as having waited, or the flow would lose every round.
    fn drop_waiting(&mut self, now: MonoTime, sequence: u32) {
        if let Some(sample) = self.get(sequence) {
            self.on_turn(now.since(sample.capture));
            self.starved += STARVED;
        }
        self.settle(sequence, Outcome::Dropped);
    }

    /// One of its samples had its turn after waiting for `waited`.
    pub fn on_turn(&mut self, waited: Duration) {
        self.waited = self.waited * 7 / 8 + waited;
        self.starved = self.starved * 15 / 16;
    }

    /// Settles a sample.
    pub fn settle(&mut self, sequence: u32, outcome: Outcome) {
        let at = sequence.wrapping_sub(self.first_sequence) as usize;
        if self.samples.get_mut(at).and_then(Option::take).is_some() {
            self.end(sequence, outcome);
            self.forget_settled();
        }
    }

    /// Settles what is too old (LNK-2), what will not be repaired any more, and what is confirmed.
    pub fn sweep(&mut self, now: MonoTime) {
        let reliable = self.is_reliable();
        let over: Vec<(u32, Outcome)> = self
            .samples()
            .filter_map(|sample| Some((sample.id.sequence, sample.outcome(now, reliable)?)))
            .collect();
        for (sequence, outcome) in over {
            self.settle(sequence, outcome);
        }
    }

    /// Settles everything as lost: the session is over.
    pub fn close(&mut self) {
        self.settle_all(Outcome::Lost);
    }

    /// Settles everything as dropped: it is withdrawn, or nobody wants it any more (LNK-32, LNK-34).
    pub fn drop_all(&mut self) {
        self.settle_all(Outcome::Dropped);
    }

    fn settle_all(&mut self, outcome: Outcome) {
        let open: Vec<u32> = self.samples().map(|sample| sample.id.sequence).collect();
        open.into_iter().for_each(|sequence| self.settle(sequence, outcome));
    }

    /// Nothing of it is under way, and no reader waits for a sample that was given up (LNK-32).
    pub fn is_drained(&self) -> bool {
        self.open_numbers() == 0
    }

    fn forget_settled(&mut self) {
        while self.samples.front().is_some_and(Option::is_none) {
            self.samples.pop_front();
            self.outstanding.pop(self.first_sequence);
            self.first_sequence = self.first_sequence.wrapping_add(1);
        }
    }

    /// Bytes the receiver may come to hold of this flow (LNK-9).
    pub fn outstanding_bytes(&self) -> usize {
        self.outstanding.bytes()
    }

    /// Numbers from the oldest the receiver may hold on.
    pub fn open_numbers(&self) -> usize {
        self.outstanding.numbers()
    }

    /// The receiver knows that nothing below `floor` comes.
    pub fn on_floor_confirmed(&mut self, floor: u32) {
        self.outstanding.on_floor_confirmed(floor);
    }

    /// Whether a reader wants it. Gives what was so before.
    pub fn set_wanted(&mut self, wanted: bool) -> bool {
        if !wanted {
            self.outstanding.on_unwanted();
        }
        std::mem::replace(&mut self.wanted, wanted)
    }

    /// When the next sample expires.
    pub fn next_expiry(&self) -> MonoTime {
        self.samples().map(|sample| sample.expires).min().unwrap_or(MonoTime::MAX)
    }

    /// The lowest sequence number that may still come (LNK-24), when a reader that waits for order must be told: it
    /// joined, or a sample ended without having been delivered.
    pub fn take_floor(&mut self) -> Option<TraceId> {
        let is_ordered = self.is_ordered();
        let reached = self.first_sequence;
        self.floor_owed
            .take_if(|owed| is_ordered && self.wanted && (reached.wrapping_sub(*owed) as i32) >= 0)?;
        Some(TraceId { flow: self.id, sequence: reached })
    }

    /// A reader joined, or a floor was lost on the way: tell it.
    pub fn owe_floor(&mut self) {
        self.owe_floor_of(self.first_sequence);
    }

    /// Numbers wrap: of two floors the later one counts.
    fn owe_floor_of(&mut self, floor: u32) {
        let is_later = |owed: u32| (floor.wrapping_sub(owed) as i32) > 0;
        if self.floor_owed.is_none_or(is_later) {
            self.floor_owed = Some(floor);
        }
    }
}
