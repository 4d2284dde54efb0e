/** Asks again only when the last answer is so old; those who ask meanwhile share it. */
export function remembered<T>(freshMs: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  let askedMs = -Infinity;
  return () => {
    if (answer === null || performance.now() - askedMs >= freshMs) {
      askedMs = performance.now();
      answer = ask();
    }
    return answer;
  };
}
