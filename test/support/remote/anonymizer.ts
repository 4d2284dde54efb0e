const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Secrets, and the visible beginnings of secrets. */
const SECRETS: readonly RegExp[] = [
  /\b(?:sk_live_|sk_sandbox_|adm_|wk_)\w+/g,
  /(?<="sip_password": ")[^"]+|(?<=SIP password {2,})\S+/g,
];

const TIMES: readonly RegExp[] = [
  /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})/g,
  /\d{4}-\d{2}-\d{2} \d{2}:\d{2}Z/g,
];

/** Removes from texts what differs between two installations with the same history: ids, times, secrets. */
export class Anonymizer {
  /** An id has the same name wherever it stands: its place in the order of their first appearance. */
  readonly #ids = new Map<string, string>();

  /** @param names values that stand for themselves, such as folders and references */
  common(text: string, names: ReadonlyMap<string, string>): string {
    const known = [...names].filter(([, value]) => value !== '' && !isId(value));
    let common = text;
    for (const [name, value] of known) common = common.replaceAll(value, `<${name}>`);
    for (const pattern of SECRETS) common = common.replaceAll(pattern, '<secret>');
    for (const pattern of TIMES) common = common.replaceAll(pattern, '<time>');
    return common.replaceAll(UUID, (id) => this.#nameOf(id));
  }

  #nameOf(id: string): string {
    const name = this.#ids.get(id) ?? `<id ${this.#ids.size + 1}>`;
    this.#ids.set(id, name);
    return name;
  }
}

function isId(value: string): boolean {
  return value.replaceAll(UUID, '') === '';
}
