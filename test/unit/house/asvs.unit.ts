import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { expect } from 'chai';

const FOLDER = fileURLToPath(new URL('../../../docs/reference/security', import.meta.url));

/** The chapters of ASVS 5.0.0 that are assessed: how many requirements of levels 1 and 2 each of their sections has. */
const SECTIONS: Readonly<Record<string, readonly number[]>> = {
  4: [3, 1, 2, 4],
  6: [3, 12, 4, 4, 5, 3, 0, 4],
  7: [3, 4, 2, 5, 2, 2],
  8: [2, 3, 1, 1],
  9: [3, 4],
  10: [2, 2, 4, 11, 5, 2, 3],
  12: [3, 2, 4],
  14: [2, 4, 3],
  16: [1, 5, 4, 3, 3],
  17: [1, 4, 2],
};
const MET = ['met', 'met, not tested'];
const STATES = [...MET, 'not met', 'n/a'];

interface Judged {
  readonly number: string;
  readonly chapter: string;
  readonly status: string;
  readonly how: string;
}

const read = (page: string): string => readFileSync(join(FOLDER, page), 'utf8');
const requirements: readonly Judged[] = ['asvs-access.md', 'asvs-sign-in.md', 'asvs-data.md']
  .flatMap((page) => read(page).split('\n'))
  .filter((line) => line.startsWith('| **'))
  .map((line) => {
    const [requirement = '', status = '', how = ''] = line.slice(2, -2).split(' | ');
    const [, number = line, chapter = ''] = /^\*\*((\d+)\.\d+\.\d+)\*\* \(L[12]\) \S/.exec(requirement) ?? [];
    return { number, chapter, status, how };
  });

describe('the assessment by ASVS 5.0', () => {
  it('judges each requirement of its chapters once', () => {
    const expected = Object.entries(SECTIONS).flatMap(([chapter, sections]) =>
      sections.flatMap((count, at) => Array.from({ length: count }, (_, n) => `${chapter}.${at + 1}.${n + 1}`)),
    );
    expect(requirements.map(({ number }) => number)).to.have.members(expected);
  });

  it('names a test or a document for what is met, and a reason for everything else', () => {
    for (const { number, status, how } of requirements) {
      expect(STATES, number).to.include(status);
      expect(how.length, number).to.be.above(5);
      if (status === 'met') expect(how, number).to.match(/`test\/|\]\(|tests? (?:of|above)|same tests?|[Aa]s \d+\.\d/);
    }
  });

  it('has a summary with the right numbers', () => {
    const rows = Array.from(read('asvs.md').matchAll(/^\| V(\d+) .* \| (\d+) \| (\d+) \| (\d+) \|$/gm), (row) =>
      row.slice(1).map(Number),
    );
    const count = (chapter: string, states: readonly string[]): number =>
      requirements.filter((one) => one.chapter === chapter && states.includes(one.status)).length;
    expect(rows).to.have.deep.members(
      Object.keys(SECTIONS).map((chapter) => [
        Number(chapter),
        count(chapter, MET),
        count(chapter, ['not met']),
        count(chapter, ['n/a']),
      ]),
    );
  });

  it('lists everything that is not met', () => {
    const listed = read('asvs.md').match(/\b\d+\.\d+\.\d+\b(?=[,\d. ]*\|)/g) ?? [];
    const missing = requirements.filter(({ status }) => status === 'not met').map(({ number }) => number);
    expect(listed).to.have.members(missing);
  });
});
