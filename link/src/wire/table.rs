//! The table of endpoints (SPEC §4): what an end publishes and subscribes.

use super::{Malformed, Reader, Writer};
use std::time::Duration;
use tokkyu_contract::qos::Liveliness;
use tokkyu_contract::{Class, Durability, FlowId, History, Qos, Reliability};

const VERSION: u8 = 3;
const MAX_NAME: usize = 255;
/// Publications and subscriptions, each (LNK-6).
const MAX_OF_A_KIND: usize = 1024;

/// Which side of a flow an entry describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointKind {
    /// The end sends this flow.
    Publication,
    /// The end wants this topic.
    Subscription,
}

/// One endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Publication or subscription.
    pub kind: EndpointKind,
    /// Number of the flow at the end that sent the table.
    pub flow: FlowId,
    /// Class of the flow.
    pub class: Class,
    /// Offered or requested QoS.
    pub qos: Qos,
    /// Samples a thousand seconds, 0 when not declared.
    pub rate_mhz: u32,
    /// Largest sample in bytes, 0 when not declared.
    pub size_bytes: u32,
    /// Topic, at most 255 bytes.
    pub topic: String,
    /// Type of the topic, at most 255 bytes, may be empty.
    pub type_name: String,
}

/// All endpoints of one end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Bytes the end holds of samples on their way in at most (LNK-8).
    pub memory_bytes: u64,
    /// Publications that are not named are to come from this number on, and withdrawn before it (LNK-31).
    pub next: FlowId,
    /// At most 1 024 of each kind.
    pub entries: Vec<Entry>,
}

impl Table {
    /// The table as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 * self.entries.len() + 13);
        Writer(&mut out).u8(VERSION).u64(self.memory_bytes).u16(self.next.0).u16(self.entries.len() as u16);
        for entry in &self.entries {
            write_entry(entry, &mut Writer(&mut out));
        }
        out
    }

    /// Reads a table; all of `bytes` must be used.
    pub fn from_bytes(bytes: &[u8]) -> Result<Table, Malformed> {
        let mut r = Reader::new(bytes);
        if r.u8()? != VERSION {
            return Err(Malformed("table of another version"));
        }
        let (memory_bytes, next, count) = (r.u64()?, FlowId(r.u16()?), usize::from(r.u16()?));
        if count > 2 * MAX_OF_A_KIND {
            return Err(Malformed("table of more than 2048 entries"));
        }
        let entries = (0..count).map(|_| read_entry(&mut r)).collect::<Result<Vec<_>, _>>()?;
        if !r.is_empty() {
            return Err(Malformed("bytes behind the table"));
        }
        let table = Table { memory_bytes, next, entries };
        if table.has_too_many_of_a_kind() {
            return Err(Malformed("more than 1024 publications or subscriptions"));
        }
        if table.has_duplicate_flows() { Err(Malformed("flow listed twice")) } else { Ok(table) }
    }

    fn has_too_many_of_a_kind(&self) -> bool {
        let publications = self.entries.iter().filter(|e| e.kind == EndpointKind::Publication).count();
        publications.max(self.entries.len() - publications) > MAX_OF_A_KIND
    }

    fn has_duplicate_flows(&self) -> bool {
        let mut seen: Vec<(bool, FlowId)> =
            self.entries.iter().map(|e| (e.kind == EndpointKind::Publication, e.flow)).collect();
        seen.sort_unstable();
        seen.windows(2).any(|pair| pair[0] == pair[1])
    }
}

fn write_entry(entry: &Entry, w: &mut Writer<'_>) {
    let qos = &entry.qos;
    w.u8(if entry.kind == EndpointKind::Publication { 1 } else { 2 });
    w.u16(entry.flow.0).u8(entry.class.code());
    w.u8(u8::from(qos.reliability == Reliability::Reliable));
    w.u8(u8::from(qos.durability == Durability::TransientLocal));
    w.u8(u8::from(qos.liveliness == Liveliness::ManualByTopic));
    w.u32(qos.depth().unwrap_or(0));
    for span in [qos.deadline, qos.lifespan, qos.liveliness_lease] {
        w.u64(span.map_or(0, |d| d.as_micros().clamp(1, u128::from(u64::MAX)) as u64));
    }
    w.u32(entry.rate_mhz).u32(entry.size_bytes);
    for name in [&entry.topic, &entry.type_name] {
        w.u16(name.len() as u16).bytes(name.as_bytes());
    }
}

fn read_entry(r: &mut Reader<'_>) -> Result<Entry, Malformed> {
    let kind = match r.u8()? {
        1 => EndpointKind::Publication,
        2 => EndpointKind::Subscription,
        _ => return Err(Malformed("unknown kind of endpoint")),
    };
    let flow = FlowId(r.u16()?);
    let class = Class::from_code(r.u8()?).ok_or(Malformed("unknown class"))?;
    let qos = read_qos(r)?;
    let (rate_mhz, size_bytes) = (r.u32()?, r.u32()?);
    let (topic, type_name) = (read_name(r)?, read_name(r)?);
    if flow == FlowId::SESSION || topic.is_empty() {
        return Err(Malformed("endpoint without a flow or topic"));
    }
    Ok(Entry { kind, flow, class, qos, rate_mhz, size_bytes, topic, type_name })
}

fn read_qos(r: &mut Reader<'_>) -> Result<Qos, Malformed> {
    let (reliable, transient, manual) = (read_flag(r)?, read_flag(r)?, read_flag(r)?);
    let depth = r.u32()?;
    let (deadline, lifespan, liveliness_lease) = (read_span(r)?, read_span(r)?, read_span(r)?);
    Ok(Qos {
        reliability: if reliable { Reliability::Reliable } else { Reliability::BestEffort },
        history: if depth == 0 { History::KeepAll } else { History::KeepLast { depth } },
        durability: if transient { Durability::TransientLocal } else { Durability::Volatile },
        deadline,
        lifespan,
        liveliness: if manual { Liveliness::ManualByTopic } else { Liveliness::Automatic },
        liveliness_lease,
    })
}

fn read_flag(r: &mut Reader<'_>) -> Result<bool, Malformed> {
    match r.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed("flag that is neither 0 nor 1")),
    }
}

fn read_span(r: &mut Reader<'_>) -> Result<Option<Duration>, Malformed> {
    let micros = r.u64()?;
    Ok((micros != 0).then(|| Duration::from_micros(micros)))
}

fn read_name(r: &mut Reader<'_>) -> Result<String, Malformed> {
    let len = usize::from(r.u16()?);
    if len > MAX_NAME {
        return Err(Malformed("name longer than 255 bytes"));
    }
    let bytes = r.bytes(len)?;
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| Malformed("name that is not UTF-8"))
}
