/** Commands of an operator, as the reader types them. */
export interface Commands {
  /** A command of Hatif with its arguments; without them, the command itself. */
  readonly hatif: (words?: string) => string;
  /** A command that reads files where the platform runs. */
  readonly beside: (line: string) => string;
  /** Starts the platform. @param setting a setting that it starts with, such as `PORT=8081` */
  readonly start: (setting?: string) => string;
}

const COMPOSE = 'docker compose ';

/** @param prefix the setting HATIF_COMMAND_PREFIX; without it, the reader is in a clone */
export function commandsFor(prefix: string | undefined): Commands {
  if (prefix === undefined) return written('npx hatif', (line) => line, 'npm start');
  const beside = (line: string): string => `${prefix} ${line}`;
  return written(beside('hatif'), beside, prefix.startsWith(COMPOSE) ? `${COMPOSE}up -d` : null);
}

/** @param start null: the prefix does not say how the containers are started */
function written(program: string, beside: Commands['beside'], start: string | null): Commands {
  return {
    hatif: (words) => (words === undefined ? program : `${program} ${words}`),
    beside,
    start: (setting) => {
      if (start === null) return setting === undefined ? 'start its container' : `start its container with ${setting}`;
      return setting === undefined ? start : `${setting} ${start}`;
    },
  };
}
