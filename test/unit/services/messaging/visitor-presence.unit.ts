import { expect } from 'chai';
import { PresenceReports } from '../../../../api/web-socket/presence-reports.js';
import type { VisitorState } from '../../../../core/model/messaging/webchat.js';
import { VisitorPresence } from '../../../../core/services/messaging/webchat/visitor-presence.js';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';
import { LocalChatSignals } from '../../../support/peers/chat/local-signals.js';

describe('where the visitors of chats are', () => {
  let clock: VirtualClock;
  let signals: LocalChatSignals;
  let presence: VisitorPresence;
  let changes: string[];

  beforeEach(() => {
    clock = new VirtualClock();
    signals = new LocalChatSignals();
    changes = [];
    const onChange = (chatId: string): void => void changes.push(`${chatId} ${presence.of(chatId)}`);
    presence = new VisitorPresence({ signals, clock, onChange });
  });
  afterEach(() => presence.stop());

  const reports = (at: string, ...visitors: [string, VisitorState][]): void =>
    signals.send({ kind: 'presence', at, visitors: visitors.map(([chatId, state]) => ({ chatId, state })) });

  it('is the best of what all processes report', () => {
    reports('one', ['a', 'online']);
    reports('two', ['a', 'away']);
    reports('one', ['a', 'away']);
    reports('two', ['a', 'online']);
    reports('two', ['a', 'online']);
    expect(changes).to.deep.equal(['a online', 'a away', 'a online']);
    expect(presence.of('b')).to.equal('gone');
  });

  it('does not change while a visitor goes to another page', async () => {
    reports('one', ['a', 'online']);
    reports('one', ['a', 'gone']);
    await clock.advance(2_000);
    reports('two', ['a', 'online']);
    await clock.advance(10_000);
    expect(changes).to.deep.equal(['a online']);
    reports('two', ['a', 'gone']);
    await clock.advance(5_000);
    expect(changes).to.deep.equal(['a online', 'a gone']);
  });

  it('ends with a process that does not repeat it, and with no other', async () => {
    const living = new PresenceReports(signals, clock);
    living.set('b', 'online');
    reports('dying', ['a', 'online'], ['b', 'away']);
    await clock.advance(70_000);
    expect(changes).to.deep.equal(['b online', 'a online', 'a gone']);
    expect(presence.of('b')).to.equal('online');
    await living.stop();
  });

  it('is asked for by a process that starts', async () => {
    const living = new PresenceReports(signals, clock);
    living.set('a', 'away');
    const stop = signals.follow(({ kind }) => {
      if (kind === 'roll_call') living.repeat();
    });
    const later = new VisitorPresence({ signals, clock, onChange: () => undefined });
    expect(later.of('a')).to.equal('away');
    stop();
    await Promise.all([later.stop(), living.stop()]);
  });
});
