import { readFile, rm, stat } from 'node:fs/promises';

import { ArchiveError } from '../../../adapters/archive/checksums.js';
import { readArchive, readMember, type ArchiveMember } from '../../../adapters/archive/reader.js';
import type { RestoreSummary } from '../../../cli/common/context.js';
import { CliError } from '../../../cli/common/failure.js';
import type { Settings } from '../../../config/settings.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { isRefusedData } from '../../../core/data/errors.js';
import { unknownMigrations } from '../../../core/data/schema/migrate.js';
import { Restoration, RestoreRefused } from '../../../core/data/schema/restoration.js';
import { bootstrapFile, fileFolders, journalFolder, secretFile } from '../places.js';
import { checkOf, MANIFEST, parseManifest, tableOfPiece, type Manifest } from './manifest.js';
import { Staging } from './staging.js';
import { TableLoad } from './table-load.js';

export interface RestoreOptions {
  readonly settings: Settings;
  readonly databaseUrl: string;
  readonly file: string;
  /** True: existing data is overwritten. */
  readonly replace: boolean;
  readonly onProgress: (text: string, fraction?: number) => void;
}

const SMALL_BYTES = 64 * 1024 * 1024;

/**
 * Replaces an installation with a backup: database, files and secret. Nothing is changed until the whole archive was
 * read and its checksums were compared. Then the database transaction is committed and the staged files are renamed.
 * @throws CliError; DatabaseUnavailable
 */
export async function restore(options: RestoreOptions): Promise<RestoreSummary> {
  const { size } = await stat(options.file).catch(() => {
    throw new CliError(`${options.file} cannot be read.`);
  });
  const restoration = await begin(options);
  const reading = new Reading(options, restoration, size);
  try {
    for await (const member of readArchive(options.file)) await reading.take(member);
    return await reading.finish();
  } catch (error) {
    await restoration.abort();
    if (error instanceof ArchiveError || isRefusedData(error)) {
      throw new CliError(`${options.file} is not a valid backup: ${error.message}. Nothing was changed.`);
    }
    throw error;
  } finally {
    await reading.close();
  }
}

async function begin({ databaseUrl, replace }: RestoreOptions): Promise<Restoration> {
  try {
    return await Restoration.begin(databaseUrl, replace);
  } catch (error) {
    if (!(error instanceof RestoreRefused)) throw error;
    switch (error.reason) {
      case 'running':
        throw new CliError('The platform is running on this database.', undefined, 'Stop it, then restore.');
      case 'not_empty':
        throw new CliError('There is already an installation.', undefined, 'Back it up first, then give --replace.');
      case 'newer':
        throw new CliError(
          'The database belongs to a newer Hatif.',
          undefined,
          'Restore with that version, or into an empty database.',
        );
    }
  }
}

/** Reads an archive, member by member. */
class Reading {
  #manifest: Manifest | null = null;
  #rows: Readonly<Record<string, number>> = {};
  readonly #loaded = new Map<string, number>();
  #table: TableLoad | null = null;
  #bytes = 0;
  readonly #staging: Staging;

  constructor(
    private readonly options: RestoreOptions,
    private readonly restoration: Restoration,
    private readonly archiveBytes: number,
  ) {
    this.#staging = new Staging(fileFolders(options.settings));
  }

  async take(member: ArchiveMember): Promise<void> {
    if (!this.#manifest) {
      this.#manifest = await this.#begin(member);
      return;
    }
    const table = tableOfPiece(member.name);
    if (this.#table?.name !== table) await this.#endTable();
    if (table !== null) {
      this.#table ??= this.#beginTable(this.#manifest, table);
      await this.#table.pass(member.content);
    } else if (member.name === 'rows.json') {
      this.#rows = JSON.parse((await readMember(member.content, SMALL_BYTES)).toString('utf8')) as Record<
        string,
        number
      >;
    } else if (member.name === 'secret') {
      const secret = await readMember(member.content, SMALL_BYTES);
      await this.#checkSecret(this.#manifest, secret.toString('utf8').trim());
      await this.#staging.stageFile(secretFile(this.options.settings), secret);
    } else if (member.name === 'bootstrap.json') {
      const content = await readMember(member.content, SMALL_BYTES);
      await this.#staging.stageFile(bootstrapFile(this.options.settings), content);
    } else {
      await this.#staging.stage(member);
    }
    this.#bytes += member.bytes;
    // An estimate: rows are several times smaller in the archive.
    this.options.onProgress('Restoring', Math.min(0.99, this.#bytes / (this.archiveBytes * 4)));
  }

  /** Puts the data in place, once the whole archive was valid. */
  async finish(): Promise<RestoreSummary> {
    const manifest = this.#manifest;
    if (!manifest) throw new ArchiveError('it is empty');
    await this.#endTable();
    for (const { name } of manifest.tables) {
      const [expected, loaded] = [this.#rows[name], this.#loaded.get(name)];
      if (expected === undefined || expected !== loaded)
        throw new ArchiveError(`the rows of "${name}" are not complete`);
    }
    const migrated = await this.restoration.finish();
    await this.#staging.place();
    await this.restoration.commit();
    await this.#staging.settle();
    await rm(journalFolder(this.options.settings), { recursive: true, force: true });
    this.options.onProgress('Restoring', 1);
    return {
      file: this.options.file,
      created_at: manifest.created_at,
      hatif: manifest.hatif,
      tables: Object.fromEntries(this.#loaded),
      files: this.#staging.files,
      migrated,
    };
  }

  /** Removes staged files that were not put in place. */
  async close(): Promise<void> {
    this.#table?.abort();
    await this.#staging.close();
  }

  async #begin(member: ArchiveMember): Promise<Manifest> {
    const found =
      member.name === MANIFEST ? parseManifest((await readMember(member.content, SMALL_BYTES)).toString('utf8')) : null;
    if (found === null) throw new ArchiveError('it does not start with a manifest');
    if ('newerFormat' in found) {
      throw new CliError(
        `The backup has format ${found.newerFormat}, which this version cannot read. Nothing was changed.`,
        undefined,
        'Restore it with the version that wrote it, or a newer one.',
      );
    }
    const unknown = unknownMigrations(found.migrations);
    if (unknown.length > 0) {
      throw new CliError(
        `The backup is of a newer Hatif (${found.hatif}: ${unknown.join(', ')}). Nothing was changed.`,
        undefined,
        'Restore it with that version, or a newer one.',
      );
    }
    const { HATIF_SECRET: secret } = this.options.settings;
    if (secret !== undefined) await this.#checkSecret(found, secret);
    else if (found.secret.kept === 'setting') {
      throw new CliError(
        'The backup does not hold its secret: it was kept in HATIF_SECRET. Nothing was changed.',
        undefined,
        'Set the same HATIF_SECRET.',
      );
    }
    await this.#keepsSecret(found);
    await this.restoration.createTables(found.migrations);
    return found;
  }

  /** Without --replace, a different secret is not overwritten. */
  async #keepsSecret(manifest: Manifest): Promise<void> {
    const { settings, replace } = this.options;
    if (replace || settings.HATIF_SECRET !== undefined) return;
    const present = await readFile(secretFile(settings), 'utf8').catch(() => null);
    if (present === null || checkOf(new Cipher(present.trim())) === manifest.secret.check) return;
    throw new CliError(
      `${secretFile(settings)} is the secret of another installation. Nothing was changed.`,
      undefined,
      'Restore to another data folder; --replace overwrites the secret.',
    );
  }

  #checkSecret(manifest: Manifest, secret: string): Promise<void> {
    if (checkOf(new Cipher(secret)) === manifest.secret.check) return Promise.resolve();
    const why =
      this.options.settings.HATIF_SECRET === undefined
        ? 'The secret in the backup is not the one that encrypted its data.'
        : 'HATIF_SECRET is not the secret that encrypted the data of the backup.';
    return Promise.reject(new CliError(`${why} Nothing was changed.`));
  }

  #beginTable(manifest: Manifest, name: string): TableLoad {
    const shape = manifest.tables.find((table) => table.name === name);
    if (!shape || this.#loaded.has(name)) throw new ArchiveError(`the table "${name}" is unexpected`);
    return new TableLoad(name, (pieces) => this.restoration.load(shape, pieces));
  }

  async #endTable(): Promise<void> {
    const table = this.#table;
    this.#table = null;
    if (table) this.#loaded.set(table.name, await table.end());
  }
}
