import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import {
  SupervisedLink,
  type LinkBoot,
  type LinkHandlers,
  type LinkListener,
  type LinkPace,
} from '../../common/supervised-link.js';
import { openEsl, type EslEvent, type EslOptions, type EslSocket } from './esl-connection.js';

/** FreeSWITCH drops a listener that falls 500 events behind: only what is used. */
const EVENTS = [
  ...[
    'CHANNEL_CREATE',
    'CHANNEL_PARK',
    'CHANNEL_PROGRESS',
    'CHANNEL_PROGRESS_MEDIA',
    'CHANNEL_ANSWER',
    'CHANNEL_BRIDGE',
  ],
  ...['CHANNEL_EXECUTE', 'CHANNEL_EXECUTE_COMPLETE', 'CHANNEL_HOLD', 'CHANNEL_UNHOLD', 'CHANNEL_HANGUP'],
  ...['CHANNEL_HANGUP_COMPLETE', 'DTMF', 'RECORD_STOP', 'BACKGROUND_JOB'],
];
/** Each live leg has one of each every five seconds. */
const REPORTS = ['SEND_RTCP_MESSAGE', 'RECV_RTCP_MESSAGE'];
/** Everything after the word CUSTOM is taken for one of these. */
const CUSTOM_EVENTS = [
  ...['sofia::register', 'sofia::unregister', 'sofia::expire', 'sofia::error'],
  'conference::maintenance',
];

/** The event socket to FreeSWITCH, kept open for ever. */
export class EslLink extends SupervisedLink<EslSocket, LinkBoot, EslEvent> {
  constructor(
    private readonly options: EslOptions & LinkPace,
    handlers: LinkHandlers<LinkBoot, EslEvent>,
    clock: Clock,
    log: Logger,
  ) {
    super('FreeSWITCH', options, handlers, clock, log);
  }

  /** An API command. @throws EngineError */
  async api(command: string): Promise<string> {
    return this.socket.api(command);
  }

  /** A command in the background; its outcome comes as BACKGROUND_JOB with this id. @throws EngineError */
  async background(jobId: string, command: string): Promise<void> {
    await this.socket.command(`bgapi ${command}`, { 'Job-UUID': jobId });
  }

  /** Lets a channel carry out an application, after what was sent to it before. @throws EngineError */
  async execute(channelId: string, eventId: string, application: string, argument: string): Promise<void> {
    await this.socket.command(`sendmsg ${channelId}`, {
      'call-command': 'execute',
      'execute-app-name': application,
      'execute-app-arg': argument,
      'event-lock': 'true',
      'Event-UUID': eventId,
    });
  }

  /** An event of ours, for FreeSWITCH's own modules. @throws EngineError */
  async send(event: string, headers: Readonly<Record<string, string>>): Promise<void> {
    await this.socket.command(`sendevent ${event}`, headers);
  }

  protected override open(listener: LinkListener<EslEvent>): Promise<EslSocket> {
    return openEsl(this.options, listener);
  }

  protected override async subscribe(socket: EslSocket): Promise<LinkBoot> {
    await socket.command(`event json ${EVENTS.join(' ')} CUSTOM ${CUSTOM_EVENTS.join(' ')}`);
    await socket.command(`event json ${REPORTS.join(' ')}`);
    return {
      bootId: await socket.api('global_getvar core_uuid'),
      version: versionOf(await socket.api('version')),
    };
  }

  protected override ping(socket: EslSocket): Promise<unknown> {
    return socket.api('global_getvar core_uuid');
  }
}

/** `FreeSWITCH Version 1.10.12-release~64bit ( 64bit)` */
function versionOf(text: string): string {
  return /Version ([^\s~]+)/.exec(text)?.[1] ?? text.trim();
}
