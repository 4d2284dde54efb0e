import { expect } from 'chai';
import { ReachSoftphones } from '../../../../core/services/messaging/softphones/reach-softphones.js';
import { CommandTimeout, type CommandOutcome, type EngineCommand } from '../../../../core/ports/command-bus.js';

const TEXT = { aor: '1001', from: '+966112345678', body: 'مرحبًا' };
const AT_BOTH = [
  { engine_id: 'away', dialable: false },
  { engine_id: 'here', dialable: true },
];

describe('a text for a softphone', () => {
  const sent: { readonly to: string; readonly command: EngineCommand; readonly deadlineMs?: number }[] = [];
  afterEach(() => sent.splice(0));

  const reaching = (outcome: CommandOutcome | Error, { hasEdge = false, places = AT_BOTH } = {}) =>
    new ReachSoftphones({
      hasEdge,
      placesOf: () => Promise.resolve(places),
      bus: {
        send: (to, command, deadlineMs) => {
          sent.push({ to, command, ...(deadlineMs !== undefined && { deadlineMs }) });
          return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
        },
      },
    });

  it('goes to an engine where its phone can be reached, and waits for the phone', async () => {
    const outcome = await reaching({ result: 'text', text: { result: 'delivered' } }).send(TEXT);
    expect(outcome).to.deep.equal({ result: 'delivered' });
    expect(sent).to.have.length(1);
    expect(sent[0]).to.deep.include({ to: 'here', deadlineMs: 40_000 });
    expect(sent[0]!.command).to.deep.include({ type: 'send_text', ...TEXT });
  });

  it('goes to the SIP edge if there is one, wherever the phone is', async () => {
    await reaching({ result: 'text', text: { result: 'delivered' } }, { hasEdge: true, places: [] }).send(TEXT);
    expect(sent.map(({ to }) => to)).to.deep.equal(['sip-edge']);
  });

  it('is not sent without a phone', async () => {
    const outcome = await reaching({ result: 'elsewhere' }, { places: [] }).send(TEXT);
    expect(outcome).to.deep.equal({ result: 'not_registered' });
    expect(sent).to.deep.equal([]);
  });

  it('is sent again only if certainly nothing was sent', async () => {
    const of = async (outcome: CommandOutcome | Error): Promise<string> => (await reaching(outcome).send(TEXT)).result;
    expect(await of(new CommandTimeout('no owner', false))).to.equal('away');
    expect(await of({ result: 'not_controllable' })).to.equal('away');
    expect(await of(new CommandTimeout('no reply', true))).to.equal('unknown');
    expect(await of(new Error('a fault'))).to.equal('unknown');
    for (const kind of ['timeout', 'indeterminate'] as const) {
      expect(await of({ result: 'engine_refused', kind, message: '' })).to.equal('unknown');
    }
    expect(await of({ result: 'engine_refused', kind: 'rejected', message: '' })).to.equal('refused');
  });
});
