import type { Call } from '../calls/call.js';
import { HatifError, ownError } from '../errors/error.js';
import type { InputUser } from '../media/input.js';
import type { Target } from '../signalling/target.js';
import { hearEcho } from './echo.js';
import { hasRelay, relaysIn } from './relays.js';
import type { PreflightOptions, PreflightReport, PreflightStep, PreflightStepName } from './report.js';

/** What the tests use of a device. */
export interface PreflightDevice {
  register(): Promise<void>;
  servers(): readonly RTCIceServer[];
  openInput(user: InputUser): Promise<MediaStreamTrack>;
  closeInput(user: InputUser): void;
  connect(to: Target, stream: MediaStream): Promise<Call>;
}

/** What a step found: text, or null if it was skipped for a reason. */
type Finding = { readonly detail: string | null } | { readonly skipped: string };

export async function runPreflight(device: PreflightDevice, options: PreflightOptions): Promise<PreflightReport> {
  const steps: PreflightStep[] = [];
  const step = async (name: PreflightStepName, run: () => Promise<Finding>): Promise<boolean> => {
    const done = await timed(name, run);
    steps.push(done);
    options.onStep?.(done);
    return done.result === 'passed';
  };
  await step('microphone', () => testMicrophone(device));
  const isRegistered = await step('registration', async () => {
    await device.register();
    return { detail: null };
  });
  if (isRegistered) {
    for (const { name, server, url } of relaysIn(device.servers())) {
      await step(name, async () => {
        if (!(await hasRelay(server))) throw ownError('UNREACHABLE');
        return { detail: url };
      });
    }
    const { echo } = options;
    await step('echo', async () =>
      echo === undefined
        ? { skipped: 'no echo service was named' }
        : { detail: await hearEcho((stream) => device.connect(echo, stream)) },
    );
  }
  return { ok: steps.every(({ result }) => result !== 'failed'), steps };
}

async function testMicrophone(device: PreflightDevice): Promise<Finding> {
  const user = { replace: (): void => undefined };
  const track = await device.openInput(user);
  const { label, readyState } = track;
  track.stop();
  device.closeInput(user);
  if (readyState !== 'live') throw ownError('MICROPHONE_BUSY');
  return { detail: label };
}

async function timed(name: PreflightStepName, run: () => Promise<Finding>): Promise<PreflightStep> {
  const beganMs = performance.now();
  const ended = (rest: Pick<PreflightStep, 'result' | 'detail' | 'error'>): PreflightStep => ({
    ...{ name, ms: Math.round(performance.now() - beganMs) },
    ...rest,
  });
  try {
    const found = await run();
    if ('skipped' in found) return ended({ result: 'skipped', detail: found.skipped, error: null });
    return ended({ result: 'passed', detail: found.detail, error: null });
  } catch (error) {
    const known = error instanceof HatifError ? error : ownError('UNREACHABLE', error);
    return ended({ result: 'failed', detail: null, error: known });
  }
}
