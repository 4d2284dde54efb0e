/**
 * A lane's access to the terminal: the first lane writes at once, each other lane after the lane before it has
 * finished.
 */
export class Turn {
  #held = [];
  #next = null;
  #isOver = false;

  constructor(isOn) {
    this.isOn = isOn;
  }

  write(text) {
    if (this.isOn) process.stdout.write(text);
    else this.#held.push(text);
  }

  /** Called when this lane has finished. */
  pass(next) {
    this.#isOver = true;
    this.#next = next ?? null;
    if (this.isOn) this.#next?.begin();
  }

  begin() {
    this.isOn = true;
    for (const text of this.#held.splice(0)) process.stdout.write(text);
    if (this.#isOver) this.#next?.begin();
  }
}
