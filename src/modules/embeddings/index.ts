export { encoderIsMissing, openEncoderPackage } from "./encoder-package.ts";
export { EmbedError, type EmbedErrorCode, embedErrorCodes } from "./errors.ts";
export { type OpenEmbedder, openTransformersModel, type TransformersOptions } from "./open-model.ts";
export { openPackagedModel, withPackagedWords } from "./packaged-model.ts";
