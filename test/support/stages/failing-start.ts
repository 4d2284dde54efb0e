import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  clearAway,
  embeddedSettings,
  PlatformProcess,
  processesOf,
  type ProcessSettings,
} from '../platform/platform-process.js';

/** Starts of the platform that fail, on a folder of their own. */
export class FailingStart {
  private constructor(
    private readonly folder: string,
    private readonly settings: ProcessSettings,
    private readonly other: Server,
  ) {}

  static async prepare(): Promise<FailingStart> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-failed-'));
    // PostgreSQL's own user must be able to enter the data folder; otherwise its data would be kept elsewhere.
    await chmod(folder, 0o755);
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    return new FailingStart(folder, await embeddedSettings(join(folder, '.hatif')), other);
  }

  /** A port that another program uses. */
  get takenPort(): string {
    return String((this.other.address() as AddressInfo).port);
  }

  /** Starts the platform, which must end by itself and leave no process. */
  async failsWith(wrong: ProcessSettings): Promise<{ code: number | null; said: string }> {
    const platform = PlatformProcess.start({ ...this.settings, ...wrong });
    const code = await platform.exited;
    expect(processesOf(this.folder), platform.output).to.deep.equal([]);
    return { code, said: platform.output };
  }

  async close(): Promise<void> {
    this.other.close();
    await clearAway(this.folder);
  }
}
