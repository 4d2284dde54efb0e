/** Who may write to the screen: the first at once, each other when the one before is through. */
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

  /** Its own lane is through. */
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
