import pg from 'pg';

const parseAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text') as (text: string) => unknown;
const ZERO = '0'.charCodeAt(0);

/**
 * Reads timestamptz as PostgreSQL writes it. What our columns hold, milliseconds at most in a session that runs on UTC
 * (`2026-01-31 10:00:00[.mmm]+00`), is read by position: a page of calls has more than a hundred of them, and pg's own parser took a tenth
 * of the request. Anything else (other zones, microseconds, years before 1 or after 9999, infinity) goes to that.
 */
export function parseTimestamp(text: string): unknown {
  const fraction = text.length - '2026-01-31 10:00:00+00'.length;
  const isPlain =
    (fraction === 0 || (fraction >= 2 && fraction <= 4 && text[19] === '.')) && text.endsWith('+00') && text[4] === '-';
  if (!isPlain) return parseAny(text);
  let milliseconds = 0;
  if (fraction > 0) {
    milliseconds = digit(text, 20) * 100;
    if (fraction > 2) milliseconds += digit(text, 21) * 10;
    if (fraction > 3) milliseconds += digit(text, 22);
  }
  const year = two(text, 0) * 100 + two(text, 2);
  // Date.UTC takes the first hundred years for those of the last century.
  if (year < 100) return parseAny(text);
  return new Date(
    Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), milliseconds),
  );
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO;
}

function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}
