import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

describe('the check of Arabic texts', function () {
  this.timeout(20_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-arabic-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function check(name: string, text: string): Promise<{ code: number; said: string }> {
    const file = join(folder, name);
    await writeFile(file, text);
    return new Promise((resolve) => {
      execFile(process.execPath, ['scripts/check-arabic.mjs', file], (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
      });
    });
  }

  it('passes on the texts of the product', async () => {
    const { code, said } = await new Promise<{ code: number; said: string }>((resolve) => {
      execFile(process.execPath, ['scripts/check-arabic.mjs'], (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr });
      });
    });
    expect(said).to.match(/^Arabic: \d+ files/);
    expect(code).to.equal(0);
  });

  for (const [line, found, use] of [
    ["const text = 'شكراً لك';", 'اً', 'ـًا'],
    ["const text = 'مرحبا بك';", 'مرحبا', 'ـًا'],
    ["const text = 'ملفًا صوتيًا';", 'صوتيًا', 'ـيًّا'],
    ["const text = 'بعد {seconds} ثانية';", '{seconds} ثانية', '{n:second}'],
    ['const text = `بعد ${n} دقائق`;', '${n} دقائق', 'writtenCount()'],
    ["const text = 'اكتب الرمز من فضلك';", 'من فضلك', 'فضلًا'],
    ["const text = 'يتم تحويلك الآن';", 'يتم', 'جارٍ'],
    ["const text = 'ليس وكيلًا في المشروع';", 'وكيل', 'موظف'],
    ["const text = 'رابط استقبال الأحداث';", 'رابط استقبال', 'رابط Webhook'],
    ["const text = 'المصادقة الصوتية';", 'المصادقة الصوتية', 'المصادقة بمكالمة هاتفية'],
    ["const text = 'الرقم ، والاسم';", '،', 'no space'],
    ["const text = 'الرقم,والاسم';", ',', '،'],
    ["const text = 'اتصل بالرقم +966501234567 الآن';", '+966501234567', 'backticks'],
    ["const text = 'مثل 2026-10-01 أو بعده';", '2026-10-01', 'backticks'],
    ["const text = 'مفتاح يبدأ بـ sk_live_ كاملًا';", 'e_', 'backticks'],
  ] as const) {
    it(`fails on ${found}, and reports its position and the replacement`, async () => {
      const { code, said } = await check('texts.ts', `// A file.\n${line}\n`);
      expect(code).to.equal(1);
      expect(said).to.contain('texts.ts:2: ').and.contain(found).and.contain(use);
    });
  }

  for (const line of [
    "const text = 'اتصل بالرقم `+966501234567` بعد {seconds:second}.';",
    "const text = 'لم يتم الرد على المكالمة. لحظة من فضلك…';",
    "const text = 'توكيل، وكالة، ثانيًا';",
  ]) {
    it(`passes on ${line}`, async () => {
      const { code, said } = await check('texts.ts', line);
      expect(said).to.contain('1 files');
      expect(code).to.equal(0);
    });
  }

  it('checks the prose of Markdown without its code', async () => {
    expect((await check('page.md', '```sh\necho "مرحبًا" 2026-10-01\n```\n')).code).to.equal(0);
    expect((await check('page.md', 'الرقم `+966501234567` هنا\n')).code).to.equal(0);
    expect((await check('page.md', 'الرقم +966501234567 هنا\n')).code).to.equal(1);
  });

  it('fails if there is nothing to check', async () => {
    const { code, said } = await check('empty.ts', 'export {};\n');
    expect(said).to.contain('There is no Arabic text to look at.');
    expect(code).to.equal(1);
  });
});
