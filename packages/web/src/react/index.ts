import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Device } from '../device/device.js';
import type { Call } from '../calls/call.js';
import type { DeviceOptions, DeviceState } from '../device/options.js';
import type { CallState } from '../calls/call-events.js';
import type { DisconnectCause } from '../errors/causes.js';
import type { HatifError } from '../errors/error.js';
import type { AudioDevices } from '../media/audio-devices.js';
import type { Volume } from '../quality/monitor.js';
import type { Warning } from '../quality/warnings.js';

/** Something whose event `changed` says that it should be looked at again. */
interface Changing {
  on(name: 'changed', listener: () => void): () => void;
}

/** Renders again when it changes. */
function useChanges(subject: Changing | null): void {
  const version = useRef(0);
  const subscribe = useCallback(
    (render: () => void) =>
      subject?.on('changed', () => {
        version.current += 1;
        render();
      }) ?? ((): void => undefined),
    [subject],
  );
  const read = (): number => version.current;
  useSyncExternalStore(subscribe, read, read);
}

export interface UsedDevice {
  /** Null until the first token arrived. */
  readonly device: Device | null;
  readonly state: DeviceState;
  readonly identity: string | null;
  readonly calls: readonly Call[];
  /** The call that rings here, if there is one. */
  readonly incoming: Call | null;
  readonly error: HatifError | null;
}

/**
 * A registered device as long as the component is shown.
 * @param getToken asks your server for a token: `renew` is false for a new session, true to refresh the one that there is
 * @param options read once
 */
export function useDevice(getToken: (renew: boolean) => Promise<string>, options: DeviceOptions = {}): UsedDevice {
  const [device, setDevice] = useState<Device | null>(null);
  const [error, setError] = useState<HatifError | null>(null);
  const latest = useRef({ getToken, options });
  latest.current.getToken = getToken;
  useEffect(() => {
    let made: Device | null = null;
    let isGone = false;
    const fail = (reason: unknown): void => {
      if (!isGone) setError(reason as HatifError);
    };
    const open = async (): Promise<void> => {
      const token = Device.canResume() ? null : await latest.current.getToken(false);
      if (isGone) return;
      made = new Device(token, latest.current.options);
      made.on('tokenWillExpire', () => {
        latest.current
          .getToken(true)
          .then((next) => made?.updateToken(next), fail)
          .catch(fail);
      });
      made.on('unregistered', setError);
      setDevice(made);
      await made.register();
    };
    open().catch(fail);
    return () => {
      isGone = true;
      made?.destroy();
    };
  }, []);
  useChanges(device);
  const calls = device?.calls ?? [];
  return {
    device,
    state: device?.state ?? 'new',
    identity: device?.identity ?? null,
    calls,
    incoming: calls.find((call) => call.direction === 'incoming' && call.state === 'ringing') ?? null,
    error,
  };
}

export interface UsedCall {
  readonly state: CallState;
  readonly isMuted: boolean;
  readonly isHeld: boolean;
  readonly isRemoteHeld: boolean;
  readonly warnings: readonly Warning[];
  readonly cause: DisconnectCause | null;
}

/** The state of a call. */
export function useCall(call: Call): UsedCall {
  useChanges(call);
  const { state, isMuted, isHeld, isRemoteHeld, warnings, cause } = call;
  return { state, isMuted, isHeld, isRemoteHeld, warnings, cause };
}

const SILENCE: Volume = { out: 0, in: 0 };

/** How loud both sides are, five times a second. */
export function useVolume(call: Call | null): Volume {
  const [volume, setVolume] = useState(SILENCE);
  useEffect(() => call?.on('volume', setVolume), [call]);
  return call === null ? SILENCE : volume;
}

/** Microphones and loudspeakers, as they come and go. */
export function useAudioDevices(device: Device | null): AudioDevices | null {
  const audio = device?.audio ?? null;
  useChanges(audio);
  return audio;
}
