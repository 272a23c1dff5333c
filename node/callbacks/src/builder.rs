//! What a node is made with: its name, its program's arguments, and what the environment says (NODE-60).

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_ros1::names::{Names, Remappings, anonymous};

use crate::declared::Declared;
use crate::error::NodeError;
use crate::node::Node;
use crate::place::{Place, Variables};
use crate::port::{Declaration, port};

/// What a node is made with.
#[derive(Clone, Debug)]
pub struct Builder {
    name: String,
    is_anonymous: bool,
    arguments: Vec<String>,
    namespace: Option<String>,
    master: Option<String>,
    flows: Option<Arc<dyn Declaration>>,
    is_interruptible: bool,
    shares_memory: bool,
}

impl Builder {
    pub(crate) fn new(name: String) -> Builder {
        Builder {
            name,
            is_anonymous: false,
            arguments: Vec::new(),
            namespace: None,
            master: None,
            flows: None,
            is_interruptible: true,
            shares_memory: true,
        }
    }

    /// The node does not end on SIGINT and SIGTERM: the program looks after them.
    #[must_use]
    pub fn without_signals(mut self) -> Builder {
        self.is_interruptible = false;
        self
    }

    /// Other processes of this device get its topics by TCPROS, not in shared memory. The same as `TOKKYU_SHARED_MEMORY=0`.
    #[must_use]
    pub fn without_shared_memory(mut self) -> Builder {
        self.shares_memory = false;
        self
    }

    /// The robot's flows, in place of those that the environment names (`TOKKYU_ROBOT`).
    #[must_use]
    pub fn flows(mut self, flows: impl Declaration + 'static) -> Builder {
        self.flows = Some(Arc::new(flows));
        self
    }

    /// Numbers behind the name, so that many nodes of that name can run.
    #[must_use]
    pub fn anonymous(mut self) -> Builder {
        self.is_anonymous = true;
        self
    }

    /// Arguments of the program: those that rename (`FROM:=TO`), name (`__name:=`, `__ns:=`) or set (`_PARAM:=`) count, others do not.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Builder {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// The master, in place of `ROS_MASTER_URI`.
    #[must_use]
    pub fn master(mut self, uri: impl Into<String>) -> Builder {
        self.master = Some(uri.into());
        self
    }

    /// The namespace, in place of `ROS_NAMESPACE`.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Builder {
        self.namespace = Some(namespace.into());
        self
    }

    /// The node, which runs from now on.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn build(self) -> Result<Node, NodeError> {
        let variable = |name| port().variable(name);
        let [master, hostname, ip, namespace] =
            ["ROS_MASTER_URI", "ROS_HOSTNAME", "ROS_IP", "ROS_NAMESPACE"].map(variable);
        let remappings = Remappings::parse(self.arguments.iter().map(String::as_str))?;
        let variables = Variables {
            master: self.master.as_deref().or(master.as_deref()),
            hostname: hostname.as_deref(),
            ip: ip.as_deref(),
        };
        let place = Place::find(&variables, &remappings)?;
        let name = if self.is_anonymous {
            anonymous(&self.name, port().unlikely_number())?
        } else {
            self.name.clone()
        };
        let namespace = self.namespace.or(namespace).filter(|text| !text.is_empty());
        let names = Names::new(&name, namespace.as_deref().unwrap_or("/"), &remappings)?;
        let flows = match self.flows {
            Some(flows) => Some(flows),
            None => port().declaration().map_err(NodeError::Declaration)?,
        };
        let is_off = port().variable("TOKKYU_SHARED_MEMORY").is_some_and(|value| value == "0");
        let shares_memory = self.shares_memory && !is_off;
        let node = Node::start(names, place, Declared(flows), &remappings, shares_memory)?;
        if self.is_interruptible {
            node.end_on_interrupt()?;
        }
        Ok(node)
    }
}

impl Node {
    /// A node of that name, with the program's arguments.
    ///
    /// # Errors
    ///
    /// [`NodeError`].
    pub fn new(name: &str) -> Result<Node, NodeError> {
        Node::builder(name).arguments(port().arguments()).build()
    }

    /// A node of that name, to be said more of.
    pub fn builder(name: impl Into<String>) -> Builder {
        Builder::new(name.into())
    }
}
