import { expect } from 'chai';
import { CALL_STATUSES } from '../../../core/model/call/call.js';
import {
  EVENT_FAMILIES,
  EVENT_PATTERNS,
  EVENT_TYPES,
  RESERVED_EVENT_TYPES,
  definitionOf,
  eventDataSchema,
  eventOfStatus,
  isEventPattern,
  isEventType,
  matchesEvent,
  type EventType,
} from '../../../core/model/events/index.js';

describe('events', () => {
  it('are exactly the published ones', () => {
    const published = {
      call:
        'initiated ringing answered ended missed failed timeout cancelled held resumed muted unmuted transferred input ' +
        'dtmf recording_ready transcribed',
      conference: 'created participant_joined participant_left ended recording_ready',
      queue: 'entered left agent_logged_in agent_logged_out agent_paused agent_unpaused',
      agent: 'forwarding_changed locked_out',
      voice_auth: 'completed',
      verify: 'completed',
      voicemail: 'received transcribed',
      message: 'queued sent delivered read failed link_clicked received',
      chat: 'waiting offered assigned closed',
      broadcast: 'started progress paused resumed completed cancelled',
      contact: 'opted_out',
      template: 'updated',
      web_calling: 'feedback',
      number: 'assigned released caller_blocked',
      webhook: 'verify disabled',
      usage: 'threshold',
      payment: 'succeeded failed',
      invoice: 'issued',
      credit_note: 'issued',
      fraud: 'blocked released',
    };
    const all = Object.entries(published).flatMap(([family, names]) =>
      names.split(' ').map((name) => `${family}.${name}`),
    );
    expect(EVENT_TYPES).to.have.members(all).and.have.length(all.length);
    expect(EVENT_FAMILIES).to.have.members(Object.keys(published));
  });

  it('can be subscribed to by name, by family or all at once', () => {
    expect(EVENT_PATTERNS).to.include.members(['*', 'call.*', 'voice_auth.*', 'call.ended']);
    for (const pattern of EVENT_PATTERNS) expect(isEventPattern(pattern), pattern).to.equal(true);
    for (const text of [
      'call',
      'call.',
      'call.**',
      '**',
      '',
      'call.unknown',
      '*.ended',
      'CALL.*',
      'calls.*',
      'toString',
    ])
      expect(isEventPattern(text), text).to.equal(false);
    expect(isEventType('call.*')).to.equal(false);
    expect(isEventType('call.ended')).to.equal(true);
  });

  it('match exactly their subscriptions', () => {
    const subscribers = (type: EventType) => EVENT_PATTERNS.filter((pattern) => matchesEvent(pattern, type));
    for (const type of EVENT_TYPES) {
      expect(subscribers(type)).to.have.members(['*', `${type.split('.')[0]!}.*`, type]);
    }
  });

  it('exist for each call status', () => {
    for (const status of CALL_STATUSES) {
      expect(eventOfStatus(status)).to.equal(`call.${status}`);
      expect(isEventType(eventOfStatus(status))).to.equal(true);
    }
  });

  it('each have a payload whose example fits its schema, unless they are reserved', () => {
    for (const type of EVENT_TYPES) {
      const { example, reserved, summary } = definitionOf(type);
      expect(summary, type).to.match(/\.$/);
      const { error } = eventDataSchema(type).safeParse(example);
      if (!reserved) expect(error?.issues ?? [], type).to.deep.equal([]);
    }
    expect(RESERVED_EVENT_TYPES.every((type) => type.startsWith('message.'))).to.equal(true);
  });
});
