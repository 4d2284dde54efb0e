/** Commands of an operator, as the reader types them. */
export interface Commands {
  /** A command of Hatif with its arguments; without them, the command itself. */
  readonly hatif: (words?: string) => string;
  /** A command that reads files where the platform runs. */
  readonly beside: (line: string) => string;
  /** Starts the platform. @param settings settings that it starts with, such as `PORT=8081` */
  readonly start: (...settings: readonly string[]) => string;
}

const COMPOSE = 'docker compose ';

/**
 * @param prefix the setting HATIF_COMMAND_PREFIX; without it, the reader is in a clone
 * @param typed the settings that the reader typed before `npm start`, which every start repeats unless it changes them
 */
export function commandsFor(prefix: string | undefined, typed: readonly string[] = []): Commands {
  if (prefix === undefined) return written('npx hatif', (line) => line, 'npm start', typed);
  const beside = (line: string): string => `${prefix} ${line}`;
  return written(beside('hatif'), beside, prefix.startsWith(COMPOSE) ? `${COMPOSE}up -d` : null);
}

/** @param start null: the prefix does not say how the containers are started */
function written(
  program: string,
  beside: Commands['beside'],
  start: string | null,
  typed: readonly string[] = [],
): Commands {
  return {
    hatif: (words) => (words === undefined ? program : `${program} ${words}`),
    beside,
    start: (...settings) => {
      const changed = settings.map(nameOf);
      const all = [...typed.filter((setting) => !changed.includes(nameOf(setting))), ...settings];
      if (start === null) return all.length === 0 ? 'start its container' : `start its container with ${all.join(' ')}`;
      return [...all, start].join(' ');
    },
  };
}

function nameOf(setting: string): string {
  return setting.slice(0, setting.indexOf('='));
}
