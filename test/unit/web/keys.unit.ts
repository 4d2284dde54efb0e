import { expect } from 'chai';
import { Keys } from '../../../packages/web/src/calls/keys.js';
import { HatifError } from '../../../packages/web/src/errors/error.js';

describe('the keys of a call in a browser', () => {
  let isReady: boolean;
  let hasSession: boolean;
  let sent: string[];
  let onSent: () => void;
  const opened: Keys[] = [];
  beforeEach(() => {
    [isReady, hasSession, sent, onSent] = [true, true, [], () => undefined];
  });
  afterEach(() => {
    for (const keys of opened.splice(0)) keys.stop();
  });

  const open = (): Keys => {
    const sendDTMF = (keys: string): void => {
      sent.push(keys);
      onSent();
    };
    const keys = new Keys({ session: () => (hasSession ? { sendDTMF } : null), isReady: () => isReady });
    opened.push(keys);
    return keys;
  };
  const untilSent = (): Promise<void> => new Promise((resolve) => (onSent = resolve));

  it('are sent at once while the audio takes them', () => {
    open().press('159#');
    expect(sent).to.deep.equal(['159#']);
  });

  it('wait for the audio, and are sent in their order', async () => {
    isReady = false;
    const keys = open();
    keys.press('11');
    keys.press('2');
    expect(sent).to.deep.equal([]);
    isReady = true;
    await untilSent();
    keys.press('3');
    expect(sent).to.deep.equal(['112', '3']);
  });

  it('wait for the call while the page is loaded again', async () => {
    hasSession = false;
    open().press('7');
    hasSession = true;
    await untilSent();
    expect(sent).to.deep.equal(['7']);
  });

  it('are forgotten when the call ends', async () => {
    isReady = false;
    const [ended, other] = [open(), open()];
    ended.press('1');
    ended.stop();
    other.press('2');
    isReady = true;
    await untilSent();
    expect(sent).to.deep.equal(['2']);
  });

  it('are refused if a telephone has no such key', () => {
    for (const wrong of ['', '1x2', '+', '1'.repeat(65)]) {
      expect(() => open().press(wrong), wrong)
        .to.throw(HatifError)
        .with.property('code', 'INVALID_DIGITS');
    }
    expect(sent).to.deep.equal([]);
  });
});
