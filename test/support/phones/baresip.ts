import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { concat, readWav, type Audio } from '../judges/audio.js';
import { eventually } from '../eventually.js';
import { accountsFile, configFile, type BaresipOptions, type BaresipPlace } from './baresip-config.js';
import { watchFolder } from './watch-folder.js';
import { Control, type ControlEvent } from './control.js';
import { freeSipPort } from './ports.js';
import { ToolProcess } from './process.js';
import { baresipTool } from './tools.js';

/** The phone's state of one of its calls. */
export interface PhoneCall {
  readonly id: string;
  readonly direction: 'incoming' | 'outgoing';
  /** The remote side's address. */
  readonly peer: string;
  /** The remote side's display name. */
  readonly peerName: string;
  /** DTMF digits received so far (RFC 4733). */
  digits: string;
  establishedAt: Date | null;
  closedAt: Date | null;
  /** The reason of the end, in baresip's words: `486 Busy Here`, `Connection reset by peer` (BYE or CANCEL) … */
  reason: string | null;
  readonly recordings: string[];
}

export type PhoneEventType =
  | 'REGISTER_OK'
  | 'REGISTER_FAIL'
  | 'UNREGISTERING'
  | 'CALL_INCOMING'
  | 'CALL_RINGING'
  | 'CALL_PROGRESS'
  | 'CALL_ANSWERED'
  | 'CALL_ESTABLISHED'
  | 'CALL_CLOSED'
  | 'CALL_DTMF_START'
  | 'CALL_DTMF_END'
  | 'CALL_RTPESTAB'
  | 'CALL_REMOTE_SDP'
  | 'CALL_LOCAL_SDP'
  | 'CALL_TRANSFER'
  | 'TRANSFER_FAILED';

export interface WaitOptions {
  readonly timeoutMs?: number;
  /** Only events of this call. */
  readonly callId?: string;
  readonly where?: (event: ControlEvent) => boolean;
}

interface Waiter {
  readonly wants: (event: ControlEvent) => boolean;
  readonly resolve: (event: ControlEvent) => void;
  readonly reject: (reason: string) => void;
  readonly forget: () => void;
}

/** A key is down for 180 ms. */
const KEY_TO_KEY_MS = 400;
/** A tenth of a second of mono audio at 8 kHz. */
const MEASURED_AFTER_BYTES = 1_600;

/** Events at which a recording may have begun. */
const RECORDING_NEWS = new Set(['CALL_PROGRESS', 'CALL_ESTABLISHED', 'CALL_RTPESTAB', 'CALL_CLOSED']);
const DEFAULT_TIMEOUT_MS = 20_000;
/** A registration that remains would be rung instead of the agent's next phone. */
const UNREGISTERED_WITHIN_MS = 20_000;

/** A real SIP phone: a baresip process in its own folder, controlled by a port, which records what it hears as wav. */
export class Baresip {
  readonly calls = new Map<string, PhoneCall>();
  readonly events: ControlEvent[] = [];
  private readonly unseen: ControlEvent[] = [];
  private readonly waiters = new Set<Waiter>();
  private control!: Control;

  private constructor(
    readonly options: BaresipOptions,
    readonly sipPort: number,
    private readonly process: ToolProcess,
  ) {}

  /** Starts the phone and waits until it accepts commands. Call {@link close} at the end. */
  static async start(options: BaresipOptions): Promise<Baresip> {
    const { tool, modules } = await baresipTool();
    const sipPort = options.sipPort ?? (await freeSipPort());
    const folder = ToolProcess.folder('phone');
    const place: BaresipPlace = { folder, modules, sipPort, controlPort: await freeSipPort() };
    writeFileSync(path.join(folder, 'config'), configFile(options, place));
    writeFileSync(path.join(folder, 'accounts'), accountsFile(options, place), { mode: 0o600 });
    writeFileSync(path.join(folder, 'contacts'), '');
    const process = new ToolProcess(folder, tool, ['-4', '-f', folder, ...(options.trace === true ? ['-s'] : [])]);
    const phone = new Baresip(options, sipPort, process);
    phone.control = await phone.connect(place.controlPort);
    return phone;
  }

  /** Its address on the loopback, without a registrar. */
  get uri(): string {
    return `sip:${this.options.user}@127.0.0.1:${this.sipPort}`;
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Waits for the answer to its first REGISTER. @throws with the registrar's reason if refused */
  async registered(timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
    // Reads the log: on a busy machine the answer may arrive before the control port reports events.
    const isRegistered = (): boolean => {
      const [, status, words] = /\(prio \d+\)(?: \{\S+\}|:) (\d{3}) ([^(\n]*)/.exec(this.log()) ?? [];
      if (status === '200') return true;
      const failure = this.events.find(({ type }) => type === 'REGISTER_FAIL')?.param;
      const refused = failure ?? (status === undefined ? undefined : `${status} ${words ?? ''}`.trim());
      if (refused !== undefined) throw new Error(`Registration of ${this.options.user} failed: ${refused}`);
      return false;
    };
    await eventually(isRegistered, () => `${this.options.user} is registered\n${this.describe()}`, timeoutMs);
  }

  /** Dials a SIP address, or a number at the registrar. Resolves when the INVITE is sent. @returns the call's id */
  async dial(target: string): Promise<string> {
    const printed = await this.control.command('dial', target);
    const id = /call id: (\S+)/.exec(printed)?.[1];
    if (id === undefined) throw new Error(`No call id in: ${printed}`);
    this.callOf({ type: 'dial', id, direction: 'outgoing', peeruri: target });
    return id;
  }

  /** Waits for an incoming call. @returns the call's id */
  async incoming(timeoutMs = DEFAULT_TIMEOUT_MS): Promise<string> {
    return (await this.waitFor('CALL_INCOMING', { timeoutMs })).id!;
  }

  /** Answers a ringing call (the latest by default) and waits until it is established. */
  async answer(callId?: string): Promise<void> {
    const { id } = this.call(callId);
    await this.control.command('accept', callId === undefined ? undefined : id);
    await this.waitFor('CALL_ESTABLISHED', { callId: id });
  }

  /** Ends the call, or cancels it before it is answered. */
  async hangup(callId?: string): Promise<void> {
    await this.control.command('hangup', this.call(callId).id);
  }

  /** Rejects a ringing call with 486; for other codes use {@link Sipp} with `uas-reject`. */
  async reject(callId?: string): Promise<void> {
    await this.hangup(callId);
  }

  /** Presses keys one after another, as a person does (RFC 4733). Resolves when the last one is pressed. */
  async sendDtmf(digits: string): Promise<void> {
    for (const [at, digit] of Array.from(digits).entries()) {
      // baresip alone leaves 60 ms between digits; below 45 ms Asterisk reports digits twice
      // (docs/reference/engines.md).
      if (at > 0) await pause(KEY_TO_KEY_MS);
      await this.control.command('sndcode', digit);
    }
  }

  /** The phone's own hold: a re-INVITE with `sendonly`. */
  async hold(): Promise<void> {
    await this.control.command('hold');
  }

  async resume(): Promise<void> {
    // baresip resumes and then reports "Invalid argument" if there is no other call to put on hold.
    await this.control.command('resume').catch(() => undefined);
  }

  /** Any other command of baresip's menu (`help` lists them). */
  command(command: string, params?: string): Promise<string> {
    return this.control.command(command, params);
  }

  /**
   * The first event of this type, past or future, that no earlier `waitFor` has returned. So no event is missed between
   * two calls.
   * @throws after `timeoutMs` (20 s), with the phone's events and log
   */
  waitFor(type: PhoneEventType, options: WaitOptions = {}): Promise<ControlEvent> {
    const wants = (event: ControlEvent): boolean =>
      event.type === type &&
      (options.callId === undefined || event.id === options.callId) &&
      (options.where?.(event) ?? true);
    return this.wait(wants, type, options.timeoutMs);
  }

  /** Waits for the end of a call. @returns the reason in the phone's words */
  async closed(callId?: string, timeoutMs?: number): Promise<string> {
    const { id } = this.call(callId);
    const event = await this.waitFor('CALL_CLOSED', { callId: id, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    return event.param ?? '';
  }

  /** Waits until the call has received these digits in this order. */
  async digits(expected: string, callId?: string, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
    const call = this.call(callId);
    while (!call.digits.includes(expected)) {
      await this.waitFor('CALL_DTMF_START', { callId: call.id, timeoutMs });
    }
  }

  /** A call by id, the latest by default. @throws if there is none */
  call(callId?: string): PhoneCall {
    const call = callId === undefined ? [...this.calls.values()].at(-1) : this.calls.get(callId);
    if (call === undefined) throw new Error(`${this.options.user} has no call ${callId ?? ''}\n${this.describe()}`);
    return call;
  }

  /**
   * The audio received on the call (the latest by default) so far, during the call or after it. While the remote side
   * sends no packets, the recording pauses instead of being silent; see {@link missingSeconds}.
   */
  heard(callId?: string): Audio {
    const call = this.call(callId);
    this.adoptRecordings(call);
    return concat(call.recordings.map((file) => readWav(file)));
  }

  private recordedBytes(callId: string): number {
    const call = this.call(callId);
    this.adoptRecordings(call);
    return call.recordings.reduce((sum, file) => sum + statSync(file).size, 0);
  }

  /** For how long of the established call the phone received no packets. */
  missingSeconds(callId?: string): number {
    const call = this.call(callId);
    if (call.establishedAt === null) return 0;
    const endMs = call.closedAt?.getTime() ?? Date.now();
    return (endMs - call.establishedAt.getTime()) / 1000 - this.heard(callId).seconds;
  }

  /** Resolves as soon as the received audio satisfies `isIt`, e.g. `(audio) => toneSeconds(audio, 440) > 0.5`. */
  async waitToHear(
    isIt: (audio: Audio) => boolean,
    options: { timeoutMs?: number; callId?: string } = {},
  ): Promise<Audio> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const { id } = this.call(options.callId);
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void): void => {
        unwatch();
        clearTimeout(timer);
        settle();
      };
      let checkedBytes = -MEASURED_AFTER_BYTES;
      const check = (): void => {
        const bytes = this.recordedBytes(id);
        if (bytes < checkedBytes + MEASURED_AFTER_BYTES && this.call(id).closedAt === null) return;
        checkedBytes = bytes;
        const audio = this.heard(id);
        if (isIt(audio)) finish(() => resolve(audio));
      };
      const unwatch = watchFolder(this.process.folder, check);
      const timer = setTimeout(() => {
        const seconds = this.heard(id).seconds.toFixed(1);
        finish(() => reject(new Error(`Not heard in ${timeoutMs} ms (heard ${seconds} s)\n${this.describe()}`)));
      }, timeoutMs);
      check();
    });
  }

  log(): string {
    return this.process.log();
  }

  /** Unregisters, ends the process and deletes its recordings. A repeat does nothing. */
  async close(): Promise<void> {
    this.leave();
    await this.process.stop('SIGTERM', UNREGISTERED_WITHIN_MS);
  }

  /** Ends the process as a power failure does: no BYE, no unregistering. */
  async kill(): Promise<void> {
    this.leave();
    await this.process.stop('SIGKILL', 3000);
  }

  private async connect(port: number): Promise<Control> {
    const onEvent = (event: ControlEvent): void => this.onEvent(event);
    const attempt = async (): Promise<Control | null> => {
      try {
        return await Control.open(port, onEvent, () => this.onGone());
      } catch (error) {
        if (!this.process.alive) throw error;
        return null;
      }
    };
    try {
      return await eventually(attempt, 'baresip accepts commands', DEFAULT_TIMEOUT_MS);
    } catch (error) {
      const tail = this.process.tail();
      await this.process.stop('SIGKILL', 0);
      throw new Error(`baresip did not start\n${tail}`, { cause: error });
    }
  }

  private onEvent(event: ControlEvent): void {
    this.events.push(event);
    if (event.id !== undefined) this.track(this.callOf({ ...event, id: event.id }), event);
    for (const waiter of this.waiters) {
      if (!waiter.wants(event)) continue;
      waiter.resolve(event);
      return;
    }
    this.unseen.push(event);
  }

  /** Drops all waiters and closes the control port. */
  private leave(): void {
    for (const waiter of this.waiters) waiter.forget();
    this.control.close();
  }

  private onGone(): void {
    for (const waiter of this.waiters) waiter.reject('the phone is gone');
  }

  private callOf(event: ControlEvent & { id: string }): PhoneCall {
    const known = this.calls.get(event.id);
    if (known !== undefined) return known;
    const call: PhoneCall = {
      id: event.id,
      direction: event.direction ?? 'incoming',
      peer: event.peeruri ?? '',
      peerName: event.peerdisplayname ?? '',
      digits: '',
      establishedAt: null,
      closedAt: null,
      reason: null,
      recordings: [],
    };
    this.calls.set(event.id, call);
    return call;
  }

  private track(call: PhoneCall, event: ControlEvent): void {
    if (event.type === 'CALL_DTMF_START') call.digits += event.param ?? '';
    if (event.type === 'CALL_ESTABLISHED') call.establishedAt ??= new Date();
    if (event.type === 'CALL_CLOSED') {
      call.closedAt = new Date();
      call.reason = event.param ?? '';
    }
    if (RECORDING_NEWS.has(event.type)) this.adoptRecordings(call);
  }

  /** baresip names recordings by the second: renaming at once keeps calls of one second from overwriting each other. */
  private adoptRecordings(call: PhoneCall): void {
    if (!this.process.alive) return;
    const { folder } = this.process;
    for (const name of readdirSync(folder).sort()) {
      if (!/^dump-.*-dec\.wav$/.test(name)) continue;
      const file = path.join(folder, `heard-${call.id}-${call.recordings.length}.wav`);
      renameSync(path.join(folder, name), file);
      call.recordings.push(file);
    }
  }

  private wait(wants: Waiter['wants'], what: string, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<ControlEvent> {
    const index = this.unseen.findIndex(wants);
    const [past] = index < 0 ? [] : this.unseen.splice(index, 1);
    if (past !== undefined) return Promise.resolve(past);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        wants,
        resolve: (event) => {
          waiter.forget();
          resolve(event);
        },
        forget: () => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
        },
        reject: (reason) => {
          waiter.forget();
          reject(new Error(`${this.options.user}: no ${what}: ${reason}\n${this.describe()}`));
        },
      };
      const timer = setTimeout(() => waiter.reject(`not in ${timeoutMs} ms`), timeoutMs);
      this.waiters.add(waiter);
    });
  }

  private describe(): string {
    const events = this.events.map((event) => `${event.type} ${event.param ?? ''}`).join('; ');
    return `events: ${events}\nlog:\n${this.process.tail()}`;
  }
}
