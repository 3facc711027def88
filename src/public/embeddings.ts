// Models that run on this machine and tell texts that mean alike.
export {
  EmbedError,
  type EmbedErrorCode,
  embedErrorCodes,
  openEncoderPackage,
  openPackagedModel,
  openTransformersModel,
  type TransformersOptions,
} from "../modules/embeddings/index.ts";
