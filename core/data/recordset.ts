/**
 * The rows of a table that a statement stores, as two parameters: `$1` holds what each row has of its own, and `$2` what
 * all of them share. Rows of one batch share most of their columns, which are then written, sent and read once.
 * @param table whose columns the rows have
 */
export const recordsetOf = (table: string): string =>
  `jsonb_populate_recordset(jsonb_populate_record(NULL::${table}, $2), $1)`;

/** The parameters of {@link recordsetOf}. A member that a row lacks is NULL. */
export function recordsetValues(rows: readonly object[]): readonly [own: string, shared: string] {
  const { own, shared } = splitRecords(rows);
  return [JSON.stringify(own), JSON.stringify(shared)];
}

type Members = Record<string, unknown>;

/** The members that all records have with the same value, and the others of each record, in the order of the records. */
export function splitRecords(records: readonly object[]): {
  readonly own: readonly Members[];
  readonly shared: Members;
} {
  const names = new Set<string>();
  for (const record of records) for (const name of Object.keys(record)) names.add(name);
  const shared: Members = {};
  const differing: string[] = [];
  for (const name of names) {
    const value = valueOf(records[0], name);
    if (records.every((record) => isSame(valueOf(record, name), value))) shared[name] = value;
    else differing.push(name);
  }
  const own = records.map((record) => {
    const members: Members = {};
    for (const name of differing) members[name] = valueOf(record, name);
    return members;
  });
  return { own, shared };
}

function valueOf(record: object | undefined, name: string): unknown {
  return (record as Readonly<Members>)[name];
}

/** Whether two values certainly are the same. Only the first level of objects is looked at. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (one instanceof Date) return other instanceof Date && one.getTime() === other.getTime();
  if (other instanceof Date || Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => valueOf(one, name) === valueOf(other, name))
  );
}
