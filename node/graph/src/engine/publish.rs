//! Topics that the node publishes: who may subscribe, and who does (NODE-52, NODE-55).

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_contract::Class;
use tokkyu_topic::JoinError;

use super::Engine;
use crate::call::call;
use crate::command::{Advertise, check_kind};
use crate::connection::{After, Connection, Role};
use crate::host::{Failure, Host, Level, Origin, Subscriber};
use crate::net::{ConnId, Net};
use crate::payload::join;
use crate::publication::Publication;
use crate::sending::{Pumped, Sending};

/// Subscribers of a topic that its publishers write to themselves: what publishing takes does not grow beyond them.
const AT_ONCE_LINKS: usize = 4;

impl<N: Net, H: Host> Engine<N, H> {
    pub(crate) fn advertise(&mut self, wanted: Advertise) {
        let Advertise { topic, kind, depth, class, channel, audience, lending, done } = wanted;
        if self.ending.is_some() {
            return done(Err(Failure::Ending));
        }
        if let Some(subscription) = self.subscriptions.get(&topic)
            && let Err(failure) = check_kind(&kind, &subscription.kind)
        {
            return done(Err(failure));
        }
        let done = alloc::vec![done];
        let local = Vec::new();
        let is_registered = false;
        let publication =
            Publication { kind, depth, class, channel, audience, lending, is_registered, done, local };
        self.publications.insert(topic.clone(), publication);
        let readers: Vec<_> =
            self.subscriptions.get(&topic).into_iter().flat_map(|one| one.readers()).collect();
        readers.into_iter().for_each(|subscriber| self.join_local(&topic, subscriber));
    }

    pub(crate) fn unadvertise(&mut self, topic: &str) {
        let Some(publication) = self.publications.remove(topic) else { return };
        publication.done.into_iter().for_each(|done| done(Err(Failure::Ending)));
        publication.local.iter().for_each(|(link, subscriber)| subscriber.on_gone(*link));
        let [name, uri] = [&self.identity.name, &self.identity.slave_uri()];
        self.master.add_unregister(call("unregisterPublisher", &[name, topic, uri]));
        for id in self.connections.ids(|connection| connection.role.publishes(topic)) {
            self.serve(id, |_, _| After::End);
        }
    }

    /// Joins a subscription of this node to a topic of this node, if there is one and the types fit (NODE-55).
    pub(crate) fn join_local(&mut self, topic: &str, subscriber: Arc<dyn Subscriber>) {
        let Some(publication) = self.publications.get_mut(topic) else { return };
        let link = self.next_link;
        self.next_link += 1;
        let (bell, source) = subscriber.bell();
        let reader = match join(&publication.channel, subscriber.terms(), &bell, source) {
            Ok(reader) => reader,
            Err(error) => {
                return self.log(Level::Error, format_args!("{topic} cannot be read in this node: {error}"));
            }
        };
        let origin = Origin {
            link,
            callerid: self.identity.name.clone(),
            topic: topic.to_string(),
            datatype: publication.kind.datatype.clone(),
            md5sum: publication.kind.md5sum.clone(),
            definition: publication.kind.definition.clone(),
            is_latched: publication.channel.limits().latch,
        };
        // However many subscriptions this node has, to its publishers it is one subscriber, as in roscpp.
        let is_first = publication.local.is_empty();
        publication.local.push((link, subscriber.clone()));
        let audience = publication.audience.clone();
        subscriber.on_publisher(Arc::new(origin), reader);
        if let Some(audience) = audience.filter(|_| is_first) {
            audience.on_subscriber(&self.identity.name, self.count_subscribers(topic));
        }
    }

    /// A subscription of this node is over.
    pub(crate) fn leave_local(&mut self, topic: &str, subscriber: &Arc<dyn Subscriber>) {
        let Some(publication) = self.publications.get_mut(topic) else { return };
        let before = publication.local.len();
        publication.local.retain(|(_, other)| !Arc::ptr_eq(other, subscriber));
        if before > 0
            && publication.local.is_empty()
            && let Some(audience) = publication.audience.clone()
        {
            audience.on_left(&self.identity.name, self.count_subscribers(topic));
        }
    }

    pub(crate) fn count_subscribers(&self, topic: &str) -> u32 {
        let is_joined = |role: &Role| !matches!(role, Role::Lending(borrower) if !borrower.is_joined);
        let is_of_it =
            |connection: &Connection| connection.role.publishes(topic) && is_joined(&connection.role);
        let remote = self.connections.iter().filter(|(_, connection)| is_of_it(connection)).count();
        let local =
            self.publications.get(topic).map_or(0, |publication| usize::from(!publication.local.is_empty()));
        (remote + local) as u32
    }

    /// A connection becomes a subscriber's: its header asked for a topic, and fits.
    pub(crate) fn add_subscriber(
        &mut self,
        id: ConnId,
        connection: &mut Connection,
        topic: &str,
        callerid: &str,
    ) -> Result<(), JoinError> {
        let Some(publication) = self.publications.get(topic) else { return Ok(()) };
        let names = (topic.to_string(), callerid.to_string());
        let bell = (&self.identity.bell, u32::from(publication.class.code()));
        let is_one = |role: &Role| matches!(role, Role::Sending(sending) if sending.topic == topic);
        let others = self.connections.iter().filter(|(_, connection)| is_one(&connection.role)).count();
        let at_once = others < AT_ONCE_LINKS;
        let sending = Sending::join(names, (&publication.channel, publication.depth), bell, at_once)?;
        connection.class = publication.class;
        let audience = publication.audience.clone();
        connection.role = Role::Sending(sending);
        self.net.set_class(id, connection.class);
        // A command that waits for the acknowledgement of the one before is as old as that takes, whoever did not ask.
        if connection.class == Class::Control {
            self.net.set_no_delay(id, true);
        }
        if let Some(audience) = audience {
            // The connection itself is not in its place just now.
            audience.on_subscriber(callerid, self.count_subscribers(topic) + 1);
        }
        Ok(())
    }

    /// Sends what is there.
    pub(crate) fn pump_sending(&mut self, id: ConnId, connection: &mut Connection) -> After {
        // The header goes first.
        if connection.has_output() {
            return After::Stay;
        }
        let Role::Sending(sending) = &mut connection.role else { return After::Stay };
        match sending.pump(&mut self.net, id) {
            Ok(pumped) => {
                connection.waits_for_room = pumped == Pumped::Later;
                if pumped == Pumped::Over { After::End } else { After::Stay }
            }
            Err(error) => {
                let topic = sending.topic.clone();
                self.log(Level::Error, format_args!("{topic}: a sample was not sent: {error}"));
                // The next one, when it is this connection's turn again.
                connection.waits_for_room = true;
                After::Stay
            }
        }
    }

    /// A subscriber sends nothing, but it closes.
    pub(crate) fn on_subscriber_speaks(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let received = connection.receive(&mut self.net, id, 4096);
        connection.input.clear();
        if received.is_over { After::End } else { After::Stay }
    }

    pub(crate) fn on_subscriber_left(&mut self, sending: &Sending) {
        let dropped = sending.dropped();
        if dropped > 0 {
            let (topic, who) = (&sending.topic, &sending.callerid);
            self.host.log(
                Level::Debug,
                format_args!("{who} has left {topic}; {dropped} samples were too many for its queue"),
            );
        }
        let audience = self.publications.get(&sending.topic).and_then(|one| one.audience.clone());
        if let Some(audience) = audience {
            audience.on_left(&sending.callerid, self.count_subscribers(&sending.topic));
        }
    }
}
