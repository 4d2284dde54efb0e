import { eventually } from '../eventually.js';
import { describeFreeswitch } from '../platform/freeswitch.js';
import type { TestPlatform } from '../platform/platform.js';
import { FreeswitchStage } from '../stages/freeswitch-stage.js';
import type { TrunkAttemptsStage } from './trunk-attempts.js';

/** Trunks of the platform's Asterisk. */
export function trunkAttemptsOnAsterisk(made: TestPlatform): TrunkAttemptsStage {
  const { management, engine } = made.platform;
  return {
    async route(prefix, trunks) {
      for (const [priority, { name, port, transport, capacity }] of trunks.entries()) {
        const uri = `sip:127.0.0.1:${port};transport=${transport}`;
        // The scripted carriers answer no OPTIONS.
        await management.trunks.add({ name, uri, capacity, isProbed: false, isDefault: false });
        const always = { organizationId: null, hours: null, weight: 1, cost: null };
        await management.trunkRoutes.add({ trunk: name, prefix, priority, ...always });
      }
      await engine?.configurationChanged();
    },
    call: async (json) => (await made.call(json)).call_id,
    read: (callId) => made.read(callId),
    hangup: (callId) => made.hangup(callId),
    attempts: (callId) => management.trunkFigures.attempts(callId),
  };
}

/** A `describe` whose tests get trunks of a FreeSWITCH, by commands. */
export function describeTrunkAttemptsOnFreeswitch(
  title: string,
  tests: (stage: () => TrunkAttemptsStage) => void,
): void {
  describeFreeswitch(title, () => {
    let freeswitch: FreeswitchStage;

    before(async function () {
      this.timeout(180_000);
      freeswitch = await FreeswitchStage.start();
    });
    after(() => freeswitch.close());

    tests(() => trunkAttemptsOnFreeswitch(freeswitch));
  });
}

function trunkAttemptsOnFreeswitch(freeswitch: FreeswitchStage): TrunkAttemptsStage {
  const { application } = freeswitch;
  const hatif = (...args: readonly string[]): Promise<string> => freeswitch.command(args);
  return {
    async route(prefix, wanted) {
      for (const [priority, { name, port, transport, capacity }] of wanted.entries()) {
        const address = `sip:127.0.0.1:${port};transport=${transport}`;
        // FreeSWITCH says by this source whether it has the trunk; no other trunk has it.
        const source = `127.8.${port >> 8}.${port & 255}`;
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
}
