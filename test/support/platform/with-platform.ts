import { TestPlatform } from './platform.js';
import type { TestPlatformOptions } from './platform-ground.js';

/**
 * In a `describe`: one platform for all of its tests. After each the API must have kept to its definitions.
 * @param use is given the platform before the first test, e.g. to get phones; what it makes ends with the platform
 */
export function withPlatform(
  use: (stage: TestPlatform) => void | Promise<void>,
  options: TestPlatformOptions = {},
): void {
  let stage: TestPlatform;
  before(async () => {
    stage = await TestPlatform.start(options);
    await use(stage);
  });
  afterEach(() => stage.assertSound());
  after(() => stage.stop());
}
