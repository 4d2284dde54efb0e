import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

export interface FoundFreeswitch {
  readonly binary: string;
  /** The folder of its modules. */
  readonly modules: string;
}

export interface MissingFreeswitch {
  /** Why there is none. */
  readonly missing: string;
  /** HATIF_TEST_FREESWITCH names something that is no FreeSWITCH. */
  readonly isMisnamed: boolean;
}

type Environment = Readonly<Partial<Record<'HATIF_TEST_FREESWITCH' | 'PATH', string>>>;

const NAME = 'freeswitch';
/** Where installations keep their modules, below the prefix: packages, and a source build without a prefix of its own. */
const MODULES = [join('lib', NAME, 'mod'), 'mod'];
const ANSWERS_WITHIN_MS = 60_000;

const found = new Map<string, FoundFreeswitch | MissingFreeswitch>();

/** The FreeSWITCH of this machine: the one that HATIF_TEST_FREESWITCH names, or the first on the PATH. */
export function findFreeswitch(environment: Environment = process.env): FoundFreeswitch | MissingFreeswitch {
  const key = JSON.stringify([environment.HATIF_TEST_FREESWITCH, environment.PATH]);
  const known = found.get(key) ?? find(environment);
  found.set(key, known);
  return known;
}

function find({ HATIF_TEST_FREESWITCH: named, PATH = '' }: Environment): FoundFreeswitch | MissingFreeswitch {
  if (named !== undefined && named !== '') return check([named, join(named, 'bin', NAME)], true);
  const candidates = PATH.split(delimiter).map((folder) => join(folder, NAME));
  if (candidates.some(isProgram)) return check(candidates, false);
  const missing = 'no freeswitch on the PATH; HATIF_TEST_FREESWITCH names its program or its prefix';
  return { missing, isMisnamed: false };
}

/** The first of the candidates that is a program, if it is a FreeSWITCH and has modules. */
function check(candidates: readonly string[], isNamed: boolean): FoundFreeswitch | MissingFreeswitch {
  const missing = (why: string): MissingFreeswitch => ({
    missing: isNamed ? `HATIF_TEST_FREESWITCH is wrong: ${why}` : why,
    isMisnamed: isNamed,
  });
  const program = candidates.find(isProgram);
  if (program === undefined) return missing(`there is no program ${candidates.join(' or ')}`);
  const binary = resolve(program);
  const fault = faultOf(binary);
  if (fault !== null) return missing(`${binary} ${fault}`);
  const prefixes = [binary, realpathSync(binary)].map((path) => dirname(dirname(path)));
  const folders = [...new Set(prefixes.flatMap((prefix) => MODULES.map((folder) => join(prefix, folder))))];
  const modules = folders.find((folder) => existsSync(join(folder, 'mod_sofia.so')));
  return modules === undefined
    ? missing(`${binary} has no mod_sofia.so in ${folders.join(' or ')}`)
    : { binary, modules };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    // A folder may be executable too.
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Null if the program says that it is a FreeSWITCH. */
function faultOf(binary: string): string | null {
  const { error, stdout, stderr } = spawnSync(binary, ['-version'], { encoding: 'utf8', timeout: ANSWERS_WITHIN_MS });
  if (error) return `does not run: ${error.message}`;
  if (/^FreeSWITCH version:/m.test(stdout)) return null;
  const [line = ''] = stderr.trim().split('\n');
  return `is no FreeSWITCH${line === '' ? '' : `: ${line}`}`;
}
