/**
 * Makes the anchors of one document's headings, by GitHub's rule, so that a link works on either site: lower case,
 * punctuation removed, spaces as hyphens, and `-1`, `-2` … after a heading that repeats.
 */
export class Slugger {
  readonly #seen = new Map<string, number>();

  next(heading: string): string {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const repeats = this.#seen.get(slug) ?? 0;
    this.#seen.set(slug, repeats + 1);
    return repeats === 0 ? slug : `${slug}-${repeats}`;
  }
}
