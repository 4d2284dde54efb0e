import { Baresip } from '../../support/phones/index.js';
import type { EngineGround } from '../rigs/rig.js';
import { answeredAt, connected, WITHHELD } from '../rigs/stage.js';
import { type Opened } from '../rigs/opened.js';

export interface GroundOptions {
  readonly start: () => Promise<EngineGround>;
  /** Runs once, before the first process connects. Phones started with `phone` are closed at the end. */
  readonly prepare: (ground: EngineGround, phone: typeof Baresip.start) => Promise<void>;
  /** Called with each process after it connected. */
  readonly use: (process: Opened) => void;
}

export interface GroundStage {
  /** Calls a phone that answers automatically. @returns the answered leg */
  readonly answered: (callee: Baresip) => Promise<string>;
  /** Stops the current process. */
  readonly stop: () => Promise<void>;
  /** Connects another process. */
  readonly next: () => Promise<void>;
}

/** Hooks of the enclosing `describe`: a real engine with phones, and processes that connect to it in turn. */
export function groundStage({ start, prepare, use }: GroundOptions): GroundStage {
  let ground: EngineGround;
  let process: Opened;
  const phones: Baresip[] = [];

  const next = async (): Promise<void> => {
    process = await connected(ground.open());
    use(process);
  };
  const stop = (): Promise<void> => process.engine.stop();

  before(async () => {
    ground = await start();
    await prepare(ground, async (options) => {
      const phone = await Baresip.start(options);
      phones.push(phone);
      return phone;
    });
    await next();
  });
  after(async () => {
    await stop();
    await Promise.all(phones.map((phone) => phone.close()));
    await ground.stop();
  });

  return { answered: (callee) => answeredAt(process, callee.uri, { callerId: WITHHELD }), stop, next };
}
