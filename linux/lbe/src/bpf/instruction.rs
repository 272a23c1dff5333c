//! Instructions of eBPF (RFC 9669), as many of them as the programs here need.

/// One instruction, as the kernel takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Instruction {
    code: u8,
    /// Destination in the low four bits, source in the high ones.
    registers: u8,
    offset: i16,
    immediate: i32,
}

/// A register: R0 the result, R1 the context at first, R1 to R5 arguments and lost in a call, R6 to R9 kept, R10 the
/// stack's upper end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Register {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R10 = 10,
}

/// Size of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Size {
    /// Four bytes.
    Word = 0x00,
    /// Two bytes.
    Half = 0x08,
    /// One byte.
    Byte = 0x10,
}

/// A jump's condition, of a register and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Condition {
    Always = 0x00,
    Equal = 0x10,
    Greater = 0x20,
    AnyBit = 0x40,
    NotEqual = 0x50,
}

const LDX_MEM: u8 = 0x61;
const STX_MEM: u8 = 0x63;
const ST_MEM: u8 = 0x62;
const ALU64: u8 = 0x07;
const ALU64_REGISTER: u8 = 0x0f;
const JMP: u8 = 0x05;
const ADD: u8 = 0x00;
const AND: u8 = 0x50;
const SHIFT_LEFT: u8 = 0x60;
const MOVE: u8 = 0xb0;
const CALL: u8 = 0x85;
const EXIT: u8 = 0x95;

/// A helper of the kernel (`enum bpf_func_id`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(super) enum Helper {
    LoadBytes = 26,
    SetSocketOption = 49,
}

/// A place that jumps go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Label(pub(super) u8);

/// A program while it is written; jumps to labels get their distance at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Writer {
    instructions: Vec<Instruction>,
    jumps: Vec<(usize, Label)>,
    labels: Vec<(Label, usize)>,
}

impl Writer {
    fn push(mut self, code: u8, to: Register, from: Option<Register>, offset: i16, immediate: i32) -> Self {
        let registers = to as u8 | from.map_or(0, |from| (from as u8) << 4);
        self.instructions.push(Instruction { code, registers, offset, immediate });
        self
    }

    /// `to = *(from + offset)`
    pub(super) fn load(self, size: Size, to: Register, from: Register, offset: i16) -> Self {
        self.push(LDX_MEM | size as u8, to, Some(from), offset, 0)
    }

    /// `*(to + offset) = from`
    pub(super) fn store(self, size: Size, to: Register, offset: i16, from: Register) -> Self {
        self.push(STX_MEM | size as u8, to, Some(from), offset, 0)
    }

    /// `*(to + offset) = number`, four bytes; the kernel allows it on the stack alone.
    pub(super) fn store_number(self, to: Register, offset: i16, number: i32) -> Self {
        self.push(ST_MEM, to, None, offset, number)
    }

    /// `to = from`
    pub(super) fn copy(self, to: Register, from: Register) -> Self {
        self.push(ALU64_REGISTER | MOVE, to, Some(from), 0, 0)
    }

    /// `to = number`
    pub(super) fn set(self, to: Register, number: i32) -> Self {
        self.push(ALU64 | MOVE, to, None, 0, number)
    }

    /// `to += number`
    pub(super) fn add(self, to: Register, number: i32) -> Self {
        self.push(ALU64 | ADD, to, None, 0, number)
    }

    /// `to &= number`
    pub(super) fn and(self, to: Register, number: i32) -> Self {
        self.push(ALU64 | AND, to, None, 0, number)
    }

    /// `to <<= bits`
    pub(super) fn shift_left(self, to: Register, bits: i32) -> Self {
        self.push(ALU64 | SHIFT_LEFT, to, None, 0, bits)
    }

    /// Goes to the label if the register is as said.
    pub(super) fn jump(mut self, condition: Condition, of: Register, number: i32, label: Label) -> Self {
        self.jumps.push((self.instructions.len(), label));
        self.push(JMP | condition as u8, of, None, 0, number)
    }

    /// The label stands here.
    pub(super) fn at(mut self, label: Label) -> Self {
        self.labels.push((label, self.instructions.len()));
        self
    }

    pub(super) fn call(self, helper: Helper) -> Self {
        self.push(CALL, Register::R0, None, 0, helper as i32)
    }

    /// Ends the program with this result.
    pub(super) fn end(self, result: i32) -> Self {
        self.set(Register::R0, result).push(EXIT, Register::R0, None, 0, 0)
    }

    /// The program, with its jumps.
    ///
    /// # Panics
    /// If a label stands nowhere: a fault of this program, found by its tests.
    pub(super) fn finish(mut self) -> Vec<Instruction> {
        for (jump, label) in self.jumps {
            let target = self.labels.iter().find(|(known, _)| *known == label).map(|(_, at)| *at);
            let distance = target.expect("every label stands somewhere") as i64 - jump as i64 - 1;
            self.instructions[jump].offset = i16::try_from(distance).expect("programs are short");
        }
        self.instructions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_the_bytes_of_the_rfc() {
        use Register::{R0, R1, R2, R6, R10};
        let program = Writer::default()
            .load(Size::Word, R2, R1, 32)
            .store(Size::Byte, R10, -8, R2)
            .copy(R6, R1)
            .jump(Condition::Equal, R2, 7, Label(0))
            .call(Helper::LoadBytes)
            .at(Label(0))
            .end(1)
            .finish();
        let bytes: Vec<[u8; 8]> = program
            .iter()
            .map(|one| {
                let [low, high] = one.offset.to_le_bytes();
                let [a, b, c, d] = one.immediate.to_le_bytes();
                [one.code, one.registers, low, high, a, b, c, d]
            })
            .collect();
        assert_eq!(
            bytes,
            [
                [0x61, 0x12, 32, 0, 0, 0, 0, 0],
                [0x73, 0x2a, 0xf8, 0xff, 0, 0, 0, 0],
                [0xbf, 0x16, 0, 0, 0, 0, 0, 0],
                [0x15, 0x02, 1, 0, 7, 0, 0, 0],
                [0x85, 0x00, 0, 0, 26, 0, 0, 0],
                [0xb7, 0x00, 0, 0, 1, 0, 0, 0],
                [0x95, 0x00, 0, 0, 0, 0, 0, 0],
            ]
        );
        assert_eq!(R0 as u8, 0);
    }
}
