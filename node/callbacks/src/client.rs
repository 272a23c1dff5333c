//! Calls of services of other nodes.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::time::Duration;

use tokkyu_graph::{Kind, Param};
use tokkyu_message::{Service, read_whole, write_to};
use tokkyu_ros1::Progress;
use tokkyu_ros1::tcpros::{Frames, HeaderWriter, MAX_HEADER, Step, message_head, read_header};
use tokkyu_ros1::uri::Uri;

use crate::error::NodeError;
use crate::inner::Inner;
use crate::master::MasterError;
use crate::node::Node;
use crate::port::{Stream, port};

/// A header is there within this.
const PATIENCE: Duration = Duration::from_secs(5);

/// A service was not called, or has not answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Nobody offers it.
    #[error("nobody offers service {0}")]
    Unknown(String),
    /// The master has not answered.
    #[error("service {service}: {error}")]
    Master {
        /// Which.
        service: String,
        /// What happened.
        error: MasterError,
    },
    /// Its node was not reached, or the connection to it was lost.
    #[error("service {service} at {uri}: {text}")]
    Lost {
        /// Which.
        service: String,
        /// Where.
        uri: String,
        /// What happened.
        text: String,
    },
    /// It says why it has not done what it was asked for.
    #[error("service {service} has failed: {reason}")]
    Failed {
        /// Which.
        service: String,
        /// What it says.
        reason: String,
    },
}

/// Calls one service.
pub struct ServiceClient<S> {
    raw: RawClient,
    _of: PhantomData<fn() -> S>,
}

impl<S: Service> ServiceClient<S> {
    /// Calls the service and waits for its answer.
    ///
    /// # Errors
    ///
    /// [`CallError`].
    pub fn call(&mut self, request: &S::Request) -> Result<S::Response, CallError> {
        let mut bytes = Vec::new();
        write_to(request, &mut bytes);
        let answer = self.raw.call(&bytes)?;
        let mut response = S::Response::default();
        read_whole(&mut response, &answer).map_err(|error| self.raw.lost("", error.to_string()))?;
        Ok(response)
    }
}

/// Calls one service by wire forms.
pub(crate) struct RawClient {
    node: Arc<Inner>,
    service: String,
    kind: Kind,
    is_persistent: bool,
    /// Kept between calls, where the client was made so.
    kept: Option<(Box<dyn Stream>, String)>,
    /// A connection was kept and is lost: another may be of another node, so that the program says when.
    is_lost: bool,
}

impl RawClient {
    pub(crate) fn new(node: Arc<Inner>, service: String, kind: Kind, is_persistent: bool) -> RawClient {
        let mut client = RawClient { node, service, kind, is_persistent, kept: None, is_lost: false };
        if is_persistent {
            // Who is not there yet is looked for again by the first call.
            client.kept = client.connect(false).ok();
        }
        client
    }

    fn lost(&self, uri: &str, text: impl ToString) -> CallError {
        CallError::Lost { service: self.service.clone(), uri: uri.to_owned(), text: text.to_string() }
    }

    pub(crate) fn call(&mut self, request: &[u8]) -> Result<Vec<u8>, CallError> {
        let (mut stream, uri) = match self.kept.take() {
            Some(kept) => kept,
            None if self.is_lost => return Err(self.lost("", "its connection is lost; make another client")),
            None => self.connect(false)?,
        };
        self.is_lost = self.is_persistent;
        let ender = stream.ender().map_err(|error| self.lost(&uri, error))?;
        let _ending = self.node.end_with_node(ender);
        let answered = exchange(&mut *stream, request).map_err(|error| self.lost(&uri, error))?;
        if self.is_persistent {
            self.kept = Some((stream, uri));
            self.is_lost = false;
        }
        answered.map_err(|reason| CallError::Failed { service: self.service.clone(), reason })
    }

    /// Connects, and exchanges headers. `is_probe`: only to see whether it is there.
    fn connect(&self, is_probe: bool) -> Result<(Box<dyn Stream>, String), CallError> {
        let text = self.node.look_up_service(&self.service)?;
        let uri = Uri::parse(&text).map_err(|error| self.lost(&text, error))?;
        let lost = |error: String| self.lost(&text, error);
        let mut stream = port().connect(&uri.host.to_string(), uri.port).map_err(lost)?;
        let mut memory = vec![0; 4 + MAX_HEADER];
        let header = self.header(&mut memory, is_probe).map_err(|error| self.lost(&text, error))?;
        stream.write(header).map_err(lost)?;
        stream.set_patience(Some(PATIENCE)).map_err(lost)?;
        read_greeting(&mut *stream).map_err(|error| self.lost(&text, error))?;
        stream.set_patience(None).map_err(lost)?;
        Ok((stream, text))
    }

    fn header<'m>(
        &self,
        memory: &'m mut [u8],
        is_probe: bool,
    ) -> Result<&'m [u8], tokkyu_ros1::tcpros::HeaderError> {
        let mut header = HeaderWriter::new(memory)?;
        header.field("callerid", self.node.names.node())?;
        header.field("md5sum", &self.kind.md5sum)?;
        header.field("service", &self.service)?;
        header.field("type", &self.kind.datatype)?;
        header.field("persistent", if self.is_persistent { "1" } else { "0" })?;
        if is_probe {
            header.field("probe", "1")?;
        }
        Ok(header.finish())
    }

    /// Whether a connection is kept, and its other end has not closed it.
    pub(crate) fn is_connected(&self) -> bool {
        self.kept.as_ref().is_some_and(|(stream, _)| stream.is_open())
    }

    /// Whether the service is there.
    pub(crate) fn exists(&self) -> bool {
        self.connect(true).is_ok()
    }

    /// Waits until it is there, so long at most.
    pub(crate) fn wait(&self, patience: Option<Duration>) -> bool {
        let until = patience.map(|patience| port().now() + patience);
        loop {
            if self.exists() {
                return true;
            }
            if !self.node.is_ok() || until.is_some_and(|until| until <= port().now()) {
                return false;
            }
            // The master tells nobody of services that come: it has to be asked.
            port().sleep_until(port().now() + Duration::from_millis(50));
        }
    }
}

/// The service's header: that it is one, and no error.
fn read_greeting(stream: &mut dyn Stream) -> Result<(), String> {
    let mut bytes = Vec::new();
    loop {
        // No further than the header: what comes after it is the answer's.
        let missing = match bytes.first_chunk() {
            None => 4 - bytes.len(),
            Some(length) => 4 + u32::from_le_bytes(*length).min(MAX_HEADER as u32) as usize - bytes.len(),
        };
        read_more(stream, &mut bytes, missing)?;
        match read_header(&bytes, MAX_HEADER).map_err(|error| error.to_string())? {
            Progress::More => {}
            Progress::Whole { message, .. } => {
                let error = message.bytes("error").map(|text| String::from_utf8_lossy(text).into_owned());
                return error.map_or(Ok(()), Err);
            }
        }
    }
}

fn read_more(stream: &mut dyn Stream, bytes: &mut Vec<u8>, count: usize) -> Result<(), String> {
    let have = bytes.len();
    bytes.resize(have + count, 0);
    let read = stream.read(&mut bytes[have..]).map_err(|error| error.to_string())?;
    bytes.truncate(have + read);
    if read == 0 && count > 0 { Err("it closed the connection".to_owned()) } else { Ok(()) }
}

/// One request and its answer; or the service's reason why there is none.
fn exchange(stream: &mut dyn Stream, request: &[u8]) -> Result<Result<Vec<u8>, String>, String> {
    let len = u32::try_from(request.len()).map_err(|_| "the request is too long".to_owned())?;
    let written = stream.write(&message_head(len)).and_then(|()| stream.write(request));
    written.map_err(|error| error.to_string())?;
    let longest = u32::try_from(port().profile().message_bytes).unwrap_or(u32::MAX);
    let (mut frames, mut answer, mut chunk) = (Frames::of_answers(longest), Vec::new(), [0; 1024]);
    loop {
        let read = stream.read(&mut chunk).map_err(|error| error.to_string())?;
        if read == 0 {
            return Err("it closed the connection before it had answered".to_owned());
        }
        let mut left = &chunk[..read];
        loop {
            match frames.step(&mut left).map_err(|error| error.to_string())? {
                Step::More => break,
                Step::Begin(_) => {}
                Step::Body { bytes, .. } => answer.extend_from_slice(bytes),
                Step::Whole(frame) if frame.done => return Ok(Ok(answer)),
                Step::Whole(_) => return Ok(Err(String::from_utf8_lossy(&answer).into_owned())),
            }
        }
    }
}

impl Inner {
    fn look_up_service(self: &Arc<Self>, service: &str) -> Result<String, CallError> {
        match self.call_master("lookupService", false, |out| out.string(service)) {
            Ok(Param::Text(uri)) => Ok(uri),
            Ok(_) | Err(MasterError::Refused { .. }) => Err(CallError::Unknown(service.to_owned())),
            Err(error) => Err(CallError::Master { service: service.to_owned(), error }),
        }
    }
}

impl Node {
    /// What calls a service; nothing is asked of it yet.
    ///
    /// # Errors
    ///
    /// No name.
    pub fn service_client<S: Service>(&self, service: &str) -> Result<ServiceClient<S>, NodeError> {
        let kind = Kind { datatype: S::DATATYPE.into(), md5sum: S::MD5SUM.into(), definition: String::new() };
        let raw = RawClient::new(self.inner.clone(), self.resolve(service)?, kind, false);
        Ok(ServiceClient { raw, _of: PhantomData })
    }

    /// Waits until a service is there, so long at most; nothing given: as long as the node runs. False: it is not.
    ///
    /// # Errors
    ///
    /// No name.
    pub fn wait_for_service(&self, service: &str, patience: Option<Duration>) -> Result<bool, NodeError> {
        let kind = Kind { datatype: "*".into(), md5sum: "*".into(), definition: String::new() };
        Ok(RawClient::new(self.inner.clone(), self.resolve(service)?, kind, false).wait(patience))
    }
}
