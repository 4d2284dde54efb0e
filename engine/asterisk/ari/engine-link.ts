import type { Clock } from '../../../core/ports/clock.js';
import type { Logger } from '../../../core/ports/logger.js';
import {
  SupervisedLink,
  type EngineInstance,
  type LinkHandlers,
  type LinkListener,
  type LinkTiming,
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

export interface AsteriskInstance extends EngineInstance {
  readonly entityId: string;
}

/** The supervised event websocket to Asterisk. */
export class EngineLink extends SupervisedLink<AriSocket, AsteriskInstance, AriEvent> {
  readonly #connection: AriConnection;

  constructor(
    options: AriConnectionOptions & LinkTiming,
    private readonly http: AriHttp,
    handlers: LinkHandlers<AsteriskInstance, AriEvent>,
    clock: Clock,
    log: Logger,
  ) {
    super('Asterisk', options, handlers, clock, log);
    this.#connection = new AriConnection(options);
  }

  protected override async open(listener: LinkListener<AriEvent>): Promise<AriSocket> {
    // Also checks the password: ari-client throws on a wrong one.
    await this.#info();
    const opening: Promise<AriSocket> = this.#connection.open([CALL_APP, REGISTRATION_APP], {
      onClosed: (reason) => listener.onClosed(reason),
      onEvent: (event) => {
        if (event.type === 'ApplicationReplaced') {
          // Another connection took over the application. Reclaiming it at once would make the two alternate for ever.
          const backOff = (socket: AriSocket): void =>
            this.backOff(socket, 'another process took over the application');
          opening.then(backOff, () => undefined);
        } else {
          listener.onEvent(event);
        }
      },
    });
    return opening;
  }

  protected override async subscribe(): Promise<AsteriskInstance> {
    const instance = instanceOf(await this.#info());
    await this.#filter(CALL_APP, CALL_EVENTS);
    await this.#filter(REGISTRATION_APP, REGISTRATION_EVENTS);
    return instance;
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

/** A restarted engine has another startup time; the entity id distinguishes two engines. */
function instanceOf(info: AriInfo): AsteriskInstance {
  return {
    bootId: `${info.system.entity_id}/${info.status.startup_time}`,
    entityId: info.system.entity_id,
    version: info.system.version,
  };
}

/** The part of an instance id that survives a restart of the engine. */
export function entityIdOf(bootId: string): string {
  return bootId.slice(0, bootId.lastIndexOf('/'));
}
