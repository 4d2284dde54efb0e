import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles } from '../system/files.js';
import { run } from '../system/run.js';
import type { RunResult } from '../system/run.js';
import { EmbeddedError } from '../system/types.js';
import type { Progress } from '../system/types.js';
import type { MachineApt } from './machine-apt.js';
import type { PackageSet } from './sets.js';

const INDEX_FRESH_MS = 6 * 3_600_000;

/**
 * A private apt: all of its paths are in one directory, Debian sid is its only source, and signatures are verified with
 * the machine's Debian keyring. It only downloads, and neither reads nor changes the machine's installed packages.
 * Callers must hold a lock, because apt's directories support one user at a time.
 */
export class PrivateApt {
  constructor(
    private readonly folder: string,
    private readonly machine: MachineApt,
    private readonly onProgress: Progress,
  ) {}

  /**
   * Downloads a set with its dependencies; returns the paths of the package files. If a package is gone, because sid
   * has moved on, it refreshes the index once and retries.
   */
  async download(set: PackageSet): Promise<string[]> {
    const archives = join(this.folder, 'archives', set.name);
    const fresh = await this.refreshIndex(set, INDEX_FRESH_MS);
    let result = await this.fetchPackages(set, archives);
    if (result.code !== 0 && !fresh) {
      await this.refreshIndex(set, 0);
      result = await this.fetchPackages(set, archives);
    }
    if (result.code !== 0) throw new EmbeddedError(set.name, `its packages cannot be downloaded: ${reason(result)}`);
    const files = await listFiles(archives, '.deb');
    if (files.length === 0) throw new EmbeddedError(set.name, 'apt downloaded no package');
    return files.map((file) => join(archives, file));
  }

  /** Deletes a set's package files after they were unpacked. */
  async forget(set: PackageSet): Promise<void> {
    await rm(join(this.folder, 'archives', set.name), { recursive: true, force: true });
  }

  /** Updates the package index unless it is recent enough. Returns true if it was updated. */
  private async refreshIndex(set: PackageSet, maxAgeMs: number): Promise<boolean> {
    const lists = join(this.folder, 'lists');
    const stamp = join(this.folder, 'index.stamp');
    const age = await stat(stamp).then(
      (found) => Date.now() - found.mtimeMs,
      () => Infinity,
    );
    if (age < maxAgeMs && (await readdir(lists).catch(() => [])).some((name) => name.includes('_Packages')))
      return false;
    await mkdir(join(lists, 'partial'), { recursive: true });
    await mkdir(join(this.folder, 'etc', 'parts'), { recursive: true });
    await mkdir(join(this.folder, 'etc', 'preferences.d'), { recursive: true });
    await writeFile(join(this.folder, 'empty-status'), '');
    const failures: string[] = [];
    for (const mirror of this.machine.mirrors) {
      await this.configure(mirror);
      this.onProgress(`Reading Debian's package index`);
      let result = await this.apt('apt-get', ['update'], 'index');
      if (isExpiredOnly(result)) {
        this.onProgress(
          `Warning: the mirror ${mirror} is out of date (its index has expired); its signature is valid, so it is used`,
        );
        result = await this.apt('apt-get', ['-o', 'Acquire::Check-Valid-Until=false', 'update'], 'index');
      }
      if (isComplete(result)) {
        await writeFile(stamp, `${mirror}\n`);
        return true;
      }
      failures.push(`${mirror}: ${reason(result)}`);
    }
    throw new EmbeddedError(set.name, `Debian's package index cannot be read: ${failures.join('; ')}`);
  }

  private async fetchPackages(set: PackageSet, archives: string): Promise<RunResult> {
    await mkdir(join(archives, 'partial'), { recursive: true });
    const status = join(this.folder, `status-${set.name}`);
    await writeFile(status, await this.pretend(set.unwanted));
    this.onProgress(`Downloading ${set.title}`, 0);
    return this.apt(
      'apt-get',
      [
        ...['-o', `Dir::State::status=${status}`, '-o', `Dir::Cache::archives=${archives}/`],
        // An expired index was accepted with a warning when it was downloaded.
        ...['-o', 'Acquire::Check-Valid-Until=false', '--yes', '--download-only', 'install', ...set.packages],
      ],
      `Downloading ${set.title}`,
    );
  }

  /**
   * Builds a dpkg status file in which every package with a matching name is installed in a version that satisfies any
   * dependency.
   */
  private async pretend(unwanted: readonly RegExp[]): Promise<string> {
    const { stdout } = await this.apt('apt-cache', ['pkgnames']);
    // Virtual or alternative packages may be missing from the index, so plain names are always listed.
    const plain = unwanted.flatMap((pattern) => /^\^([a-z0-9-]+)\$$/.exec(pattern.source)?.[1] ?? []);
    const known = stdout.split('\n').filter((name) => unwanted.some((pattern) => pattern.test(name)));
    return [...new Set([...plain, ...known])]
      .map(
        (name) =>
          `Package: ${name}\nStatus: install ok installed\nArchitecture: ${this.machine.architecture}\n` +
          `Multi-Arch: allowed\nVersion: 999:1\nMaintainer: none\nDescription: not needed\n\n`,
      )
      .join('');
  }

  private async configure(mirror: string): Promise<void> {
    const dir = this.folder;
    await writeFile(join(dir, 'sources.list'), `deb [signed-by=${this.machine.keyring}] ${mirror} sid main\n`);
    const settings = [
      `Dir "${dir}/";`,
      `Dir::State "${dir}/";`,
      `Dir::State::lists "${dir}/lists/";`,
      `Dir::State::status "${dir}/empty-status";`,
      `Dir::Cache "${dir}/";`,
      `Dir::Cache::archives "${dir}/archives/";`,
      `Dir::Log "${dir}/";`,
      `Dir::Etc "${dir}/etc/";`,
      `Dir::Etc::sourcelist "${dir}/sources.list";`,
      `Dir::Etc::sourceparts "${dir}/etc/parts/";`,
      `Dir::Etc::parts "${dir}/etc/parts/";`,
      `Dir::Etc::main "/dev/null";`,
      `Dir::Etc::netrc "/etc/apt/auth.conf";`,
      `Dir::Etc::netrcparts "/etc/apt/auth.conf.d/";`,
      // As root, apt would switch to its own user, which cannot access these directories.
      `APT::Sandbox::User "root";`,
      `APT::Install-Recommends "false";`,
      `APT::Architecture "${this.machine.architecture}";`,
      `APT::Architectures { "${this.machine.architecture}"; };`,
      `Acquire::Languages "none";`,
      `Acquire::Retries "2";`,
      `Acquire::http::Timeout "30";`,
      `Acquire::https::Timeout "30";`,
      ...this.machine.inherited,
    ];
    await writeFile(join(dir, 'apt.conf'), `${settings.join('\n')}\n`);
  }

  private async apt(command: string, args: readonly string[], progress?: string): Promise<RunResult> {
    const env = {
      ...process.env,
      APT_CONFIG: join(this.folder, 'apt.conf'),
      LC_ALL: 'C',
      DEBIAN_FRONTEND: 'noninteractive',
    };
    if (progress === undefined || progress === 'index') return run(command, args, { env });
    return run(command, ['-o', 'APT::Status-Fd=3', ...args], {
      env,
      onStatusLine: (line) => {
        const [kind, , percent] = line.split(':');
        if (kind === 'dlstatus') this.onProgress(progress, Number(percent) / 100);
      },
    });
  }
}

/** True if an expired date is the only problem of the index; never for a bad or missing signature. */
export function isExpiredOnly(result: Pick<RunResult, 'stderr'>): boolean {
  const errors = result.stderr.split('\n').filter((line) => line.startsWith('E: '));
  return errors.length > 0 && errors.every((line) => /Release file for .* is expired/.test(line));
}

/**
 * `apt-get update` only warns about a mirror that it could not read or verify, and keeps its old index; here that is a
 * failure.
 */
function isComplete(result: RunResult): boolean {
  return (
    result.code === 0 && !/^W: (?:Failed to fetch|GPG error|An error occurred|Some index files)/m.test(result.stderr)
  );
}

function reason(result: RunResult): string {
  const lines = result.stderr.split('\n').filter((line) => /^[EW]: /.test(line));
  return (lines.length > 0 ? lines.slice(0, 3).join(' ') : result.stderr.trim()) || `exit code ${result.code}`;
}
