import { expect } from 'chai';
import { isExtension } from '../../../core/model/call/destinations.js';
import { DTMF_PATTERN, SEND_DIGITS_PATTERN } from '../../../core/model/digits.js';
import { isErrorCode } from '../../../core/model/errors/index.js';
import { FLAG_DEFAULTS, FLAG_OFF_CODES, flagOff, type FlagName } from '../../../core/model/flags.js';

describe('digits', () => {
  it('in a call are 1 to 32 of 0-9, * and #', () => {
    for (const digits of ['1', '0123456789*#', '#'.repeat(32)])
      expect(DTMF_PATTERN.test(digits), digits).to.equal(true);
    for (const digits of ['', 'w', 'A', ' 1', '1\n', '1'.repeat(33), '١'])
      expect(DTMF_PATTERN.test(digits), digits).to.equal(false);
  });

  it('after the answer may include pauses', () => {
    for (const digits of ['w', 'ww12#w3']) expect(SEND_DIGITS_PATTERN.test(digits), digits).to.equal(true);
    for (const digits of ['', 'W', 'p', 'w\n', 'w'.repeat(33)])
      expect(SEND_DIGITS_PATTERN.test(digits), digits).to.equal(false);
  });
});

describe('extensions', () => {
  it('are 2 to 32 letters, digits, dots, dashes and underscores', () => {
    for (const text of ['10', '1001', 'sara', 'a.b-c_d', 'x'.repeat(32)])
      expect(isExtension(text), text).to.equal(true);
    for (const text of ['', '1', 'a b', 'a@b', 'سارة', '10\n', '../x', 'x'.repeat(33)])
      expect(isExtension(text), text).to.equal(false);
  });
});

describe('flags', () => {
  it('are all on except the call velocity limit and the chat application', () => {
    const off = Object.entries(FLAG_DEFAULTS).filter(([, on]) => !on);
    expect(off).to.have.deep.members([
      ['call_velocity', false],
      ['chatapp', false],
    ]);
    expect(Object.keys(FLAG_DEFAULTS)).to.have.members([...Object.keys(FLAG_OFF_CODES), 'call_velocity', 'chatapp']);
  });

  const answers: Record<FlagName, [code: string, status: number]> = {
    voice_auth: ['VOICE_AUTH_DISABLED', 503],
    verify: ['VERIFY_DISABLED', 503],
    voicemail: ['VOICEMAIL_DISABLED', 503],
    callflows: ['IVR_DISABLED', 503],
    graph_callflows: ['IVR_DISABLED', 503],
    messages: ['MESSAGES_DISABLED', 503],
    virtual_numbers: ['NOT_FOUND', 404],
    in_call_control: ['CALL_CONTROL_DISABLED', 503],
    agent_leg_control: ['CALL_CONTROL_DISABLED', 503],
    transfer: ['CALL_CONTROL_DISABLED', 503],
    conferencing: ['CALL_CONTROL_DISABLED', 503],
    web_calling: ['WEB_CALLING_DISABLED', 503],
    dlq_replay: ['DLQ_REPLAY_DISABLED', 503],
    widget: ['NOT_FOUND', 404],
  };
  for (const [flag, [code, status]] of Object.entries(answers) as [FlagName, [string, number]][]) {
    it(`return ${code} when ${flag} is off`, () => {
      const error = flagOff(flag, 'POST /v1/somewhere');
      expect(error).to.include({ code, status });
      expect(isErrorCode(FLAG_OFF_CODES[flag])).to.equal(true);
      expect(error.message).to.not.include('{');
    });
  }
});
