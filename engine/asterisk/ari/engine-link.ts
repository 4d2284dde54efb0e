import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import {
  SupervisedLink,
  type LinkBoot,
  type LinkHandlers,
  type LinkListener,
  type LinkPace,
} from '../../common/supervised-link.js';
import { AriConnection, type AriConnectionOptions, type AriSocket } from './ari-connection.js';
import { AriRefusal, type AriHttp } from './ari-http.js';
import {
  CALL_APP,
  CALL_EVENTS,
  REGISTRATION_APP,
  REGISTRATION_EVENTS,
  type AriEvent,
  type AriInfo,
} from './ari-types.js';

export interface Boot extends LinkBoot {
  readonly entityId: string;
}

/** The event websocket to Asterisk, kept open for ever. */
export class EngineLink extends SupervisedLink<AriSocket, Boot, AriEvent> {
  readonly #connection: AriConnection;

  constructor(
    options: AriConnectionOptions & LinkPace,
    private readonly http: AriHttp,
    handlers: LinkHandlers<Boot, AriEvent>,
    clock: Clock,
    log: Logger,
  ) {
    super('Asterisk', options, handlers, clock, log);
    this.#connection = new AriConnection(options);
  }

  protected override async open(listener: LinkListener<AriEvent>): Promise<AriSocket> {
    // Tries the password, too: the websocket's client throws on a wrong one.
    await this.#info();
    const opening: Promise<AriSocket> = this.#connection.open([CALL_APP, REGISTRATION_APP], {
      onClosed: (reason) => listener.onClosed(reason),
      onEvent: (event) => {
        if (event.type === 'ApplicationReplaced') {
          // Another connection took the application over. Taking it back at once would start a tug of war.
          const stepBack = (socket: AriSocket): void =>
            this.stepBack(socket, 'another process took the application over');
          opening.then(stepBack, () => undefined);
        } else {
          listener.onEvent(event);
        }
      },
    });
    return opening;
  }

  protected override async subscribe(): Promise<Boot> {
    const boot = bootOf(await this.#info());
    await this.#filter(CALL_APP, CALL_EVENTS);
    await this.#filter(REGISTRATION_APP, REGISTRATION_EVENTS);
    return boot;
  }

  protected override ping(socket: AriSocket): Promise<void> {
    return socket.ping();
  }

  protected override reasonOf(error: unknown): string {
    if (error instanceof AriRefusal && error.status === 401) return 'Asterisk refused the user name or password';
    return super.reasonOf(error);
  }

  #info(): Promise<AriInfo> {
    return this.http.send<AriInfo>('GET', '/asterisk/info');
  }

  async #filter(app: string, types: readonly string[]): Promise<void> {
    await this.http.send('PUT', `/applications/${app}/eventFilter`, {
      body: { allowed: types.map((type) => ({ type })) },
    });
  }
}

/** An engine that started again has another start time; the machine's id keeps two engines apart. */
function bootOf(info: AriInfo): Boot {
  return {
    bootId: `${info.system.entity_id}/${info.status.startup_time}`,
    entityId: info.system.entity_id,
    version: info.system.version,
  };
}

/** The part of a boot id that stays when the engine starts again. */
export function entityIdOf(bootId: string): string {
  return bootId.slice(0, bootId.lastIndexOf('/'));
}
