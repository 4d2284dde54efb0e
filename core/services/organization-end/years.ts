/** The same day after a number of years; 29 February becomes 1 March. */
export function yearsAfter(at: Date, years: number): Date {
  const moved = new Date(at);
  moved.setUTCFullYear(at.getUTCFullYear() + years);
  return moved;
}

/** The same day before a number of years. */
export function yearsBefore(at: Date, years: number): Date {
  return yearsAfter(at, -years);
}
