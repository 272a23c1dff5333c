//! What a gate waits for before the vehicle may move, as both ends show it. SPEC.md DRV-88.

/// What is missing; see the module. Where several things are, the one that has to come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Need {
    /// Nothing: it drives.
    #[default]
    Nothing,
    /// Any fresh command.
    FreshCommand,
    /// Commands come, each older than the lifespan.
    YoungerCommand,
    /// Commands come, of an age that is not known well enough.
    Clock,
    /// Pictures that are worth looking at: none come, or all are too old.
    Pictures,
    /// The release of the emergency stop.
    Reset,
    /// The end of the stop.
    Standstill,
    /// Throttle 0 for [`NEUTRAL_FOR`](super::NEUTRAL_FOR).
    Neutral,
    /// The enable button let go.
    LetGo,
    /// The dead-man held.
    DeadMan,
    /// The enable button pressed.
    Enable,
    /// The motors: they do not take what they are given, as they say, or as the watchdog sees.
    Motors,
}

impl Need {
    /// All, in the order of their numbers on the wire.
    pub const ALL: [Need; 12] = [
        Need::Nothing,
        Need::FreshCommand,
        Need::YoungerCommand,
        Need::Clock,
        Need::Pictures,
        Need::Reset,
        Need::Standstill,
        Need::Neutral,
        Need::LetGo,
        Need::DeadMan,
        Need::Enable,
        Need::Motors,
    ];

    /// The words shown to people; empty for nothing.
    pub const fn as_str(self) -> &'static str {
        match self {
            Need::Nothing => "",
            Need::FreshCommand => "waits for commands",
            Need::YoungerCommand => "waits for younger commands: all come too old",
            Need::Clock => "waits for the clocks: how old commands are is not known",
            Need::Pictures => "waits for pictures: none reach the driver in time",
            Need::Reset => "waits for the release of the emergency stop",
            Need::Standstill => "waits for the vehicle to stand",
            Need::Neutral => "waits for throttle 0 for 0.5 s",
            Need::LetGo => "waits for the enable button to be let go",
            Need::DeadMan => "waits for the dead-man to be held",
            Need::Enable => "waits for the enable button",
            Need::Motors => "THE MOTORS DO NOT ANSWER",
        }
    }
}
