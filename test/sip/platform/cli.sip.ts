import { expect } from 'chai';

import { EXIT } from '../../../cli/common/failure.js';
import { runCli } from '../../../cli/program.js';
import { openCommandLine } from '../../../main/command/command-line.js';
import { hasSpeech } from '../../support/judges/audio.js';
import { eventually } from '../../support/eventually.js';
import type { Baresip } from '../../support/phones/index.js';
import type { TestPlatform } from '../../support/platform/platform.js';
import { withPlatform } from '../../support/platform/with-platform.js';

/** A running command: its output so far, and its exit code. */
interface Running {
  readonly printed: () => string;
  readonly code: Promise<number>;
}

describe('hatif command on a running platform', () => {
  let stage: TestPlatform;
  let phone: Baresip;

  withPlatform(async (made) => {
    stage = made;
    phone = await stage.softphone('1001');
  });

  function hatif(...args: string[]): Running {
    let printed = '';
    const print = (text: string): void => void (printed += `${text}\n`);
    const settings = { ...stage.settings, HATIF_BASE_URL: stage.url, HATIF_API_KEY: stage.demo.liveKey };
    const code = runCli(args, {
      ...openCommandLine(settings, new AbortController().signal),
      output: (json) => ({ json, out: print, note: print }),
    });
    return { printed: () => printed, code };
  }

  it('calls a softphone, speaks, and prints the call’s events until it ends', async () => {
    const command = hatif('call', stage.agent('1001').number, '--say', 'Hello from the terminal.');
    const id = await phone.incoming();
    await phone.answer(id);
    await phone.waitToHear(hasSpeech, { callId: id });
    expect(await command.code, command.printed()).to.equal(0);
    expect(command.printed()).to.match(
      /call\.initiated[^]*call\.ringing[^]*call\.answered[^]*call\.ended[^]*The call ended/,
    );
    expect(command.printed()).to.not.contain(stage.agent('1001').number);
  });

  it('exits with a specific code when the call is not answered', async () => {
    const command = hatif('call', stage.agent('1001').number);
    await phone.reject(await phone.incoming());
    expect(await command.code, command.printed()).to.equal(EXIT.unanswered);
    expect(command.printed()).to.contain('missed (busy)');
  });

  it('prints the API’s error code when a call is not placed', async () => {
    const command = hatif('call', stage.agent('1001').number, '--from', '+966118887777');
    expect(await command.code).to.equal(EXIT.failed);
    expect(command.printed()).to.contain('CLI_NOT_OWNED');
  });

  it('prints the events of calls as they happen', async () => {
    const listening = hatif('listen', '--events', 'call.*', '--count', '4');
    await eventually(() => listening.printed().includes('Listening'), 'the stream is open');
    const call = await stage.call({ to: stage.agent('1001').number, play: { text: 'Hello', language: 'en' } });
    await phone.answer(await phone.incoming());
    expect(await listening.code).to.equal(0);
    const lines = listening
      .printed()
      .split('\n')
      .filter((line) => line.includes(call.call_id));
    expect(lines.map((line) => /call\.\w+/.exec(line)?.[0])).to.deep.equal([
      'call.initiated',
      'call.ringing',
      'call.answered',
      'call.ended',
    ]);
  });

  it('adds an agent whose softphone can immediately register and be called', async () => {
    const added = hatif('agents', 'add', '1003', '--name', 'Reem', '--json');
    expect(await added.code, added.printed()).to.equal(0);
    const { sip_password: password } = JSON.parse(added.printed()) as { sip_password: string };
    const number = '+966115550103';
    expect(await hatif('numbers', 'add', number, '--bind', 'agent:1003').code).to.equal(0);

    const third = await stage.phone({ user: '1003', registrar: { ...stage.parts.sip, password }, answer: 'auto' });
    await third.registered();
    const command = hatif('call', number, '--say', 'Welcome.');
    expect(await command.code, command.printed()).to.equal(0);
  });
});
