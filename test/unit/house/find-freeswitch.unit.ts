import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { findFreeswitch, type MissingFreeswitch } from '../../support/platform/find-freeswitch.js';

const SAYS_VERSION = '#!/bin/sh\necho "FreeSWITCH version: 1.10.12-release (64bit)"\n';
const SAYS_NOTHING = '#!/bin/sh\necho "error while loading shared libraries: libspandsp.so.3" >&2\nexit 127\n';

describe('The FreeSWITCH of the tests', () => {
  let folder: string;
  const at = (...path: string[]): string => join(folder, ...path);
  const write = (file: string, text: string, mode = 0o755): string => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  };
  /** @param modules the folder of modules below the prefix */
  const install = (prefix: string, modules: string, program = SAYS_VERSION): string => {
    write(at(prefix, modules, 'mod_sofia.so'), '');
    return write(at(prefix, 'bin', 'freeswitch'), program);
  };
  const named = (HATIF_TEST_FREESWITCH: string): ReturnType<typeof findFreeswitch> =>
    findFreeswitch({ HATIF_TEST_FREESWITCH, PATH: '' });

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hatif-find-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const modules of ['lib/freeswitch/mod', 'mod']) {
    it(`is named by its program or its prefix, with its modules in ${modules}`, () => {
      const binary = install('a', modules);
      for (const name of [binary, at('a'), `${at('a')}/`]) {
        expect(named(name), name).to.deep.equal({ binary, modules: at('a', modules) });
      }
    });
  }

  it('is otherwise the first on the PATH, also if an empty name is set', () => {
    const binary = install('b', 'mod');
    const PATH = [at('nothing'), at('b', 'bin')].join(':');
    for (const environment of [{ PATH }, { PATH, HATIF_TEST_FREESWITCH: '' }]) {
      expect(findFreeswitch(environment)).to.deep.equal({ binary, modules: at('b', 'mod') });
    }
    const { missing, isMisnamed } = findFreeswitch({ PATH: at('nothing') }) as Partial<MissingFreeswitch>;
    expect([missing, isMisnamed]).to.deep.equal([
      'no freeswitch on the PATH; HATIF_TEST_FREESWITCH names its program or its prefix',
      false,
    ]);
  });

  it('may be a link to a program that has its modules elsewhere', () => {
    install('real', 'mod');
    mkdirSync(at('bin'));
    symlinkSync(at('real', 'bin', 'freeswitch'), at('bin', 'freeswitch'));
    expect(named(at('bin', 'freeswitch'))).to.deep.equal({
      binary: at('bin', 'freeswitch'),
      modules: at('real', 'mod'),
    });
  });

  for (const [what, make, reason] of [
    ['nothing', () => at('gone'), /there is no program \S+\/gone or \S+\/gone\/bin\/freeswitch$/],
    ['a file that is not executable', () => write(at('f'), SAYS_VERSION, 0o644), /there is no program /],
    [
      'a program that cannot run',
      () => install('c', 'mod', '#!/no/such/interpreter\n'),
      /bin\/freeswitch does not run: /,
    ],
    [
      'a program that lacks a library',
      () => install('d', 'mod', SAYS_NOTHING),
      /is no FreeSWITCH: error while loading/,
    ],
    ['another program', () => install('e', 'mod', '#!/bin/sh\n'), /bin\/freeswitch is no FreeSWITCH$/],
    [
      'a FreeSWITCH without modules',
      () => write(at('g', 'bin', 'freeswitch'), SAYS_VERSION),
      /has no mod_sofia\.so in /,
    ],
  ] as const) {
    it(`is reported in one sentence if the setting names ${what}`, () => {
      const { missing, isMisnamed } = named(make()) as Partial<MissingFreeswitch>;
      expect(isMisnamed).to.equal(true);
      expect(missing)
        .to.match(/^HATIF_TEST_FREESWITCH is wrong: [^\n]*$/)
        .and.to.match(reason);
    });
  }
});
