import { expect } from 'chai';
import { ContactGroups } from '../../../core/data/repositories/contacts/contact-groups.js';
import { ContactImports } from '../../../core/data/repositories/contacts/contact-imports.js';
import { systemClock } from '../../../core/ports/clock.js';
import { ContactImportService } from '../../../core/services/contacts/import/imports.js';
import { MAX_IMPORT_LINES } from '../../../core/services/contacts/import/read-file.js';
import { ContactImportTask } from '../../../core/services/contacts/import/task.js';
import { quiet } from '../../support/logger.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { ownerIn } from '../../support/rows/rows.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('an import of the longest file', function () {
  this.timeout(600_000);
  let database: TestDatabase;
  let folder: string;

  before(async () => {
    database = await testDatabase();
    folder = await mkdtemp(join(tmpdir(), 'hatif-imports-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await database.close();
  });

  it('imports each line once, and says so of a repeat', async () => {
    const owner = { ...(await ownerIn(database.db)), sandbox: false };
    const path = join(folder, 'customers.csv');
    const lines = Array.from(
      { length: MAX_IMPORT_LINES },
      (_, n) => `+9665${String(10_000_000 + n)},name${n}@example.com,Name ${n},الاسم ${n},tag${n % 10};vip,${n}`,
    );
    await writeFile(path, ['phone,email,name_en,name_ar,tags,custom.orders:number', ...lines].join('\n'));
    const imports = new ContactImports(database.db);
    const service = new ContactImportService({ imports, groups: new ContactGroups(database.db), clock: systemClock });
    const task = new ContactImportTask({ db: database.db, clock: systemClock, log: quiet });
    const wanted = { path, fileName: 'customers.csv', existing: 'update', groupId: null, requestId: 'r' } as const;
    const scope = { projectId: owner.projectId, sandboxOnly: false };
    for (const outcome of ['created', 'unchanged'] as const) {
      const { id } = await service.start(owner, wanted);
      await task.run();
      const done = await service.get(scope, id);
      expect(done).to.include({ status: 'completed', total: MAX_IMPORT_LINES, [outcome]: MAX_IMPORT_LINES, failed: 0 });
    }
  });
});
