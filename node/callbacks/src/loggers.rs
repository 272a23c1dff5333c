//! `~get_loggers` and `~set_logger_level`: what `rosconsole` and rqt ask of every node.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_graph::{Command, Handler, Kind, Offer, Request};
use tokkyu_message::{Message, Service, read_whole, write_to};

use crate::levels::{level, word};
use crate::log::Log;
use crate::messages::roscpp::SetLoggerLevelResponse;
use crate::messages::roscpp::{
    GetLoggers, GetLoggersResponse, Logger, SetLoggerLevel, SetLoggerLevelRequest,
};
use crate::network::Network;

/// Answers at once, in the network's thread: it is little to do.
struct AtOnce<F> {
    network: Arc<Network>,
    answer: F,
}

impl<F: Fn(&[u8]) -> Result<Vec<u8>, String> + Send + Sync> Handler for AtOnce<F> {
    fn on_request(&self, request: Request) {
        let answer = (self.answer)(&request.bytes);
        self.network.ask(Command::Answer { asker: request.asker, answer });
    }
}

/// Requests are short.
const LONGEST: usize = 4096;

fn offer<S: Service>(
    network: &Arc<Network>,
    node: &str,
    name: &str,
    answer: impl Fn(&[u8]) -> Result<Vec<u8>, String> + Send + Sync + 'static,
) {
    let kind = Kind { datatype: S::DATATYPE.into(), md5sum: S::MD5SUM.into(), definition: String::new() };
    let handler = Arc::new(AtOnce { network: network.clone(), answer });
    let service = format!("{node}/{name}");
    network.ask(Command::Offer(Offer { service, kind, longest: LONGEST, handler, done: Box::new(drop) }));
}

/// Offers both.
pub(crate) fn add(network: &Arc<Network>, node: &str, log: &Arc<Log>) {
    let get = log.clone();
    offer::<GetLoggers>(network, node, "get_loggers", move |_| {
        let logger = |(name, level)| Logger { name, level: word(level).to_owned() };
        Ok(wire(&GetLoggersResponse { loggers: get.levels().into_iter().map(logger).collect() }))
    });
    let set = log.clone();
    offer::<SetLoggerLevel>(network, node, "set_logger_level", move |bytes| {
        let mut asked = SetLoggerLevelRequest::default();
        read_whole(&mut asked, bytes).map_err(|error| error.to_string())?;
        let level = level(&asked.level).ok_or_else(|| {
            format!("{} is no level; there are debug, info, warn, error, fatal", asked.level)
        })?;
        set.set_level(&asked.logger, level);
        Ok(wire(&SetLoggerLevelResponse::default()))
    });
}

fn wire<M: Message>(message: &M) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_to(message, &mut bytes);
    bytes
}
