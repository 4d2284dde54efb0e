/** The message of a promise's error; the promise must reject. */
export async function refusal(refused: Promise<unknown>): Promise<string> {
  let value: unknown;
  try {
    value = await refused;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error(`was not refused, but returned ${JSON.stringify(value)}`);
}
