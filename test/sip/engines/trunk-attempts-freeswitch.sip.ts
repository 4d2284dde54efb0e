import { trunkAttempts, type TrunkAttemptsStage } from '../../support/calls/trunk-attempts.js';
import { eventually } from '../../support/eventually.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { FreeswitchStage } from '../../support/stages/freeswitch-stage.js';

describeFreeswitch('calls through several trunks, on FreeSWITCH', () => {
  let freeswitch: FreeswitchStage;
  let stage: TrunkAttemptsStage;
  let trunks = 0;

  before(async function () {
    this.timeout(180_000);
    freeswitch = await FreeswitchStage.start();
    const { application } = freeswitch;
    const hatif = (...args: readonly string[]): Promise<string> => freeswitch.command(args);
    stage = {
      async route(prefix, wanted) {
        for (const [priority, { name, port, transport, capacity }] of wanted.entries()) {
          const address = `sip:127.0.0.1:${port};transport=${transport}`;
          // FreeSWITCH says by this source whether it has the trunk.
          const source = `127.0.8.${(trunks += 1)}`;
          const limit = capacity === null ? [] : ['--capacity', String(capacity)];
          await hatif('trunks', 'add', name, address, '--no-probe', '--inbound', source, ...limit);
          await hatif('trunks', 'routes', 'add', name, '--prefix', prefix, '--priority', String(priority));
          const isKnown = async (): Promise<boolean> =>
            (await freeswitch.host.api(`acl ${source} hatif-trunks`)).trim() === 'true';
          await eventually(isKnown, `FreeSWITCH has ${name}`);
        }
      },
      call: (json) => application.call(json),
      read: (callId) => application.read(callId),
      hangup: (callId) => application.hangup(callId),
      async attempts(callId) {
        return JSON.parse(await hatif('trunks', 'attempts', callId, '--json')) as Awaited<
          ReturnType<TrunkAttemptsStage['attempts']>
        >;
      },
    };
  });
  after(() => freeswitch.close());

  trunkAttempts(() => stage);
});
