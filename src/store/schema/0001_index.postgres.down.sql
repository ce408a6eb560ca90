DROP TABLE ken.rule, ken.rule_document, ken.checkpoint, ken.segment_block, ken.segment, ken.skip_count, ken.skip, ken.file,
    ken.content, ken.tree, ken.meta, ken.index;
